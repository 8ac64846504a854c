const DAY_MS = 86_400_000

/** The last instant of tomorrow, in UTC. */
export function endOfTomorrow(now: () => number = Date.now): number {
  return (Math.floor(now() / DAY_MS) + 2) * DAY_MS - 1
}
