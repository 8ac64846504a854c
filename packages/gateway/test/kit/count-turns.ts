/** Runs some work, and counts how often the event loop turned meanwhile. */
export async function countTurns(work: () => Promise<void>): Promise<number> {
  let turns = 0
  let next = setImmediate(function count() {
    turns += 1
    next = setImmediate(count)
  })
  try {
    await work()
    return turns
  } finally {
    clearImmediate(next)
  }
}
