/** A command line, or a file that it names, that is not what it should be: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
