/** What a function throws, or a promise rejects with; fails where it does not. */
export async function caught(run: () => unknown): Promise<unknown> {
  try {
    await run()
  } catch (error) {
    return error
  }
  throw new Error('expected an error, got none')
}
