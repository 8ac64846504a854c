/** Returns what a function throws, or its promise rejects with. Fails if it does neither. */
export async function caught(run: () => unknown): Promise<unknown> {
  try {
    await run()
  } catch (error) {
    return error
  }
  throw new Error('expected an error, got none')
}
