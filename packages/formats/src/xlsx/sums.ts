import { randomInt } from 'node:crypto'

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
/** The bytes of all keys together. */
const KEYS_BYTES_MAX = 4 * 1024 * 1024
// A part and another number of so many characters are exact together.
const LENGTH_MAX = 15
const PART_MAX = 2 ** 52
const UNIT = 0x1f
const MINUS = 0x2d
const ZERO = 0x30
// Callers write the texts of keys. They do not know these numbers, so they cannot choose keys of one hash.
const SEED = randomInt(2 ** 32)
const FACTOR = randomInt(2 ** 31) * 2 + 1

/**
 * Sums whole numbers of any size by groups, exactly. It reads the bytes of records: a string for each row would take
 * longer than everything else that happens to the row.
 */
export class Sums {
  /** The groups by the hash of their keys. */
  #groups = new Map<number, RunningGroup[]>()
  #count = 0
  #keysBytes = 0

  /** Adds the fields of a row that stand between two positions: its key, and whole numbers, empty for no value. */
  add(records: Buffer, start: number, end: number): void {
    if (this.#areTooMany) return
    const keyEnd = fieldEnd(records, start, end)
    const group = this.#groupOf(records, start, keyEnd)
    group.rows += 1
    for (let at = keyEnd + 1, index = 0; at <= end; index += 1) {
      const next = fieldEnd(records, at, end)
      if (next > at) addValue(group, index, records, at, next)
      at = next + 1
    }
  }

  /** Returns the groups in the order of their keys, or `undefined` if they are too many or their keys too long. */
  groups(): readonly Group[] | undefined {
    if (this.#areTooMany) return undefined
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

  get #areTooMany(): boolean {
    return this.#count > GROUPS_MAX || this.#keysBytes > KEYS_BYTES_MAX
  }

  #groupOf(records: Buffer, start: number, end: number): RunningGroup {
    const hash = hashOf(records, start, end)
    const groups = this.#groups.get(hash) ?? []
    const known = groups.find(({ key }) => isEqual(key, records, start, end))
    if (known) return known
    this.#count += 1
    this.#keysBytes += end - start
    const group = { key: Buffer.from(records.subarray(start, end)), rows: 0, sums: [], parts: [] }
    this.#groups.set(hash, [...groups, group])
    if (this.#areTooMany) this.#groups.clear()
    return group
  }
}

function hashOf(records: Buffer, start: number, end: number): number {
  let hash = SEED
  for (let at = start; at < end; at += 1) {
    hash = Math.imul(hash ^ (records[at] ?? 0), FACTOR)
    hash ^= hash >>> 15
  }
  return hash
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
