/** A mistake in the command line or in a file that it names: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The user ended the command during a question: exit code 130. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}
