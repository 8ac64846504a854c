const DIFFERENCES_MAX = 3
/** A shorter name may differ in two letters only. */
const LONG_NAME = 9

/**
 * Finds the known name that is nearest to a misspelt name, by Levenshtein distance. Case, `-` and `_` do not count.
 * The distance is at most half of the name's length, and at most 2, or 3 for a name of nine letters or more.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[-_]/g, '')
  const distances = known.map((candidate) => distance(plain(name), plain(candidate)))
  const least = Math.min(...distances)
  const most = name.length < LONG_NAME ? DIFFERENCES_MAX - 1 : DIFFERENCES_MAX
  return least <= Math.min(most, name.length / 2) ? known[distances.indexOf(least)] : undefined
}

function distance(from: string, to: string): number {
  // The distance is at least this. A name may be as long as a request, and computing its distance would take too long.
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
