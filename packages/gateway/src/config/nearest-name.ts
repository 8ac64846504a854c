const DIFFERENCES_MAX = 3

/**
 * The known name that a misspelt one most likely stands for: the nearest by inserted, left out and replaced
 * letters, where at most half of them and at most three differ (Levenshtein); case, `-` and `_` do not count.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[-_]/g, '')
  const distances = known.map((candidate) => distance(plain(name), plain(candidate)))
  const least = Math.min(...distances)
  return least <= Math.min(DIFFERENCES_MAX, name.length / 2)
    ? known[distances.indexOf(least)]
    : undefined
}

function distance(from: string, to: string): number {
  // They differ by that much at least, and a name may be as long as a request.
  const longer = Math.abs(from.length - to.length)
  if (longer > DIFFERENCES_MAX) return longer
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let index = 0; index < from.length; index++) {
    const next = [index + 1]
    for (let at = 0; at < to.length; at++) {
      const replaced = (row[at] ?? 0) + (to[at] === from[index] ? 0 : 1)
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
