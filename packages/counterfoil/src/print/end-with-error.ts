import { CounterfoilError } from '@counterfoil/client'
import { adviseAddress, type UrlSetting } from '../connection/advise-address.ts'
import type { Dependencies } from '../dependencies.ts'
import { EXIT_CODES, exitCodeOf } from '../exit-codes.ts'
import { jsonLine } from './json-line.ts'
import { describeError, errorAsJson } from './print-outcome.ts'

/** What a command knows about its requests. */
export interface Attempt {
  readonly url: UrlSetting
  /** The content of the `--ca` file. */
  readonly ca: string | undefined
  /** What an error left behind, as a sentence. */
  readonly state?: string | undefined
  /** What an interruption left behind, as a sentence. */
  readonly afterInterruption?: string
  /** Whether the command prints the error as JSON too. */
  readonly json?: boolean | undefined
}

/**
 * Prints why the requests of a command failed, and what to do.
 *
 * @returns the exit code
 * @throws the error itself if it is not the client's
 */
export async function endWithError(
  error: unknown,
  { url, ca, state, afterInterruption, json }: Attempt,
  { stdout, stderr, signal }: Dependencies,
): Promise<number> {
  if (signal.aborted) {
    stderr.write(`counterfoil: interrupted. ${afterInterruption ?? ''}`.trimEnd().concat('\n'))
    return EXIT_CODES.interrupted
  }
  if (!(error instanceof CounterfoilError)) throw error
  const advice = await adviseAddress(error, url, { ca, signal })
  const circumstances = { url: url.option, state, advice, hasCa: ca !== undefined }
  stderr.write(describeError(error, circumstances))
  if (json) stdout.write(jsonLine(errorAsJson(error)))
  return exitCodeOf(error)
}
