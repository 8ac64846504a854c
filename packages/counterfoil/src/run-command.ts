import { CommanderError } from 'commander'
import { createProgram } from './create-program.ts'
import type { Dependencies } from './dependencies.ts'
import { EXIT_CODES } from './exit-codes.ts'

/** Runs a command line of `counterfoil` (`process.argv`) and returns the exit code. */
export async function runCommand(
  argv: readonly string[],
  dependencies: Dependencies,
): Promise<number> {
  let exitCode: number = EXIT_CODES.done
  const end = (code: number) => {
    exitCode = code
  }
  try {
    await createProgram({ ...dependencies, end }).parseAsync(argv)
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage
  }
}
