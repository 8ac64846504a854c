import { closeSync, fstatSync, openSync, statSync } from 'node:fs'

const STDIN = 0
const NOTHING = '/dev/null'

/**
 * Replaces this process's standard input by an empty one. The engine's library would take what is piped into the
 * process for rows of an INSERT.
 */
export function closeStdin(): void {
  if (fstatSync(STDIN).rdev === statSync(NOTHING).rdev) return
  closeSync(STDIN)
  // The system gives a new file the lowest free number.
  openSync(NOTHING, 'r')
}
