import type { ErrorCode } from '@counterfoil/client'

/** The exit codes of every command. */
export const EXIT_CODES = {
  done: 0,
  failed: 1,
  usage: 2,
  notAuthorised: 3,
  refused: 4,
  network: 5,
  incomplete: 6,
  busy: 7,
  interrupted: 130,
} as const

const BY_ERROR: Readonly<Record<ErrorCode, number>> = {
  'invalid-settings': EXIT_CODES.usage,
  'not-authorised': EXIT_CODES.notAuthorised,
  'report-refused': EXIT_CODES.refused,
  'operation-refused': EXIT_CODES.refused,
  busy: EXIT_CODES.busy,
  'network-error': EXIT_CODES.network,
  'timed-out': EXIT_CODES.network,
  'unexpected-body': EXIT_CODES.network,
  truncated: EXIT_CODES.incomplete,
  'digest-mismatch': EXIT_CODES.incomplete,
  'file-error': EXIT_CODES.failed,
}

/** Returns the exit code for an error of the client. */
export function exitCodeOf({ code }: { readonly code: ErrorCode }): number {
  return BY_ERROR[code]
}

/** The part of a help that lists the exit codes of a command that sends requests. */
export const EXIT_CODE_HELP = `
Exit codes:
  ${EXIT_CODES.done}    done
  ${EXIT_CODES.failed}    failed for another reason, such as a file that cannot be written
  ${EXIT_CODES.usage}    wrong command line or profile; no report was requested
  ${EXIT_CODES.notAuthorised}    the gateway did not accept the login, the key or the signature
  ${EXIT_CODES.refused}    the gateway refused the request, or failed; the message says which
  ${EXIT_CODES.network}    no connection, no answer in time, or an answer that is no gateway's
  ${EXIT_CODES.incomplete}    the answer is incomplete, or not the one that the gateway sent
  ${EXIT_CODES.busy}    the gateway is busy; retry later
  ${EXIT_CODES.interrupted}  interrupted`

/** The part of a help about keys and input files. */
export const INPUT_NOTES = `
Your key: --control-key-file or --private-key, or the control key itself in the
variable COUNTERFOIL_CONTROL_KEY or in the profile. On a terminal the command
asks for a missing key. A key is never an argument, because every user of the
machine can see arguments.
An input file may be /dev/stdin or <(command), but not -.`
