/** The user ended the command during a question: exit code 130. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}
