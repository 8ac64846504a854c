/** The sums of the rows of a group. */
export interface Group {
  /** What the rows of the group have in common. */
  readonly key: string
  readonly rows: number
  /** Each sum, or `undefined` if no row has a value. */
  readonly sums: readonly (bigint | undefined)[]
}

interface RunningGroup {
  readonly key: Buffer
  rows: number
  readonly sums: (bigint | undefined)[]
  /** The parts of the sums that are not in `sums` yet. Adding numbers is faster than adding bigints. */
  readonly parts: number[]
}

const GROUPS_MAX = 10_000
// A part and another number of so many characters are exact together.
const LENGTH_MAX = 15
const PART_MAX = 2 ** 52
const UNIT = 0x1f
const MINUS = 0x2d
const ZERO = 0x30

/**
 * Sums whole numbers of any size by groups, exactly. It reads the bytes of records: a string for each row would take
 * longer than everything else that happens to the row.
 */
export class Sums {
  /** The groups by the hash of their keys. */
  #groups = new Map<number, RunningGroup[]>()
  #count = 0

  /** Adds the fields of a row that stand between two positions: its key, and whole numbers, empty for no value. */
  add(records: Buffer, start: number, end: number): void {
    if (this.#count > GROUPS_MAX) return
    const keyEnd = fieldEnd(records, start, end)
    const group = this.#groupOf(records, start, keyEnd)
    group.rows += 1
    for (let at = keyEnd + 1, index = 0; at <= end; index += 1) {
      const next = fieldEnd(records, at, end)
      if (next > at) addValue(group, index, records, at, next)
      at = next + 1
    }
  }

  /** Returns the groups in the order of their keys, or `undefined` if there are more than 10,000. */
  groups(): readonly Group[] | undefined {
    if (this.#count > GROUPS_MAX) return undefined
    return [...this.#groups.values()]
      .flat()
      .toSorted((a, b) => a.key.compare(b.key))
      .map(({ key, rows, sums, parts }) => {
        const whole = sums.map((sum, index) => {
          return sum === undefined ? undefined : sum + BigInt(parts[index] ?? 0)
        })
        return { key: key.toString('utf8'), rows, sums: whole }
      })
  }

  #groupOf(records: Buffer, start: number, end: number): RunningGroup {
    let hash = 0
    for (let at = start; at < end; at += 1) hash = (Math.imul(hash, 31) + (records[at] ?? 0)) | 0
    const groups = this.#groups.get(hash) ?? []
    const known = groups.find(({ key }) => isEqual(key, records, start, end))
    if (known) return known
    this.#count += 1
    const group = { key: Buffer.from(records.subarray(start, end)), rows: 0, sums: [], parts: [] }
    this.#groups.set(hash, [...groups, group])
    if (this.#count > GROUPS_MAX) this.#groups.clear()
    return group
  }
}

function fieldEnd(records: Buffer, start: number, end: number): number {
  let at = start
  while (at < end && records[at] !== UNIT) at += 1
  return at
}

function isEqual(key: Buffer, records: Buffer, start: number, end: number): boolean {
  if (key.length !== end - start) return false
  for (let at = 0; at < key.length; at += 1) if (key[at] !== records[start + at]) return false
  return true
}

function addValue(
  { sums, parts }: RunningGroup,
  index: number,
  records: Buffer,
  start: number,
  end: number,
): void {
  const part = parts[index] ?? 0
  const sum = sums[index] ?? 0n
  const isSmall = end - start <= LENGTH_MAX && Math.abs(part) < PART_MAX
  sums[index] = isSmall ? sum : sum + BigInt(part) + BigInt(records.toString('latin1', start, end))
  parts[index] = isSmall ? part + numberOf(records, start, end) : 0
}

function numberOf(records: Buffer, start: number, end: number): number {
  const isNegative = records[start] === MINUS
  let number = 0
  for (let at = isNegative ? start + 1 : start; at < end; at += 1) {
    number = number * 10 + (records[at] ?? ZERO) - ZERO
  }
  return isNegative ? -number : number
}
