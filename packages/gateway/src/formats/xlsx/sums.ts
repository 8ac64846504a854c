/** The sums of the rows of a group. */
export interface Group {
  /** What the rows of the group have in common. */
  readonly key: string
  rows: number
  /** Each sum, or `undefined` if no row has a value. */
  readonly sums: (bigint | undefined)[]
}

interface RunningGroup extends Group {
  /** The parts of the sums that are not in `sums` yet. Adding numbers is faster than adding bigints. */
  readonly parts: number[]
}

const GROUPS_MAX = 10_000
// A part and another number of so many digits are exact.
const DIGITS_MAX = 15
const PART_MAX = 2 ** 52

/** Sums whole numbers of any size by groups, exactly. */
export class Sums {
  #groups = new Map<string, RunningGroup>()
  #isFull = false

  /** Adds the values of a row: whole numbers as text, empty for no value. */
  add(key: string, values: readonly string[]): void {
    if (this.#isFull) return
    let group = this.#groups.get(key)
    if (!group) {
      group = { key, rows: 0, sums: values.map(() => undefined), parts: values.map(() => 0) }
      this.#groups.set(key, group)
      if (this.#groups.size > GROUPS_MAX) this.#giveUp()
    }
    group.rows += 1
    for (const [index, value] of values.entries()) {
      if (value === '') continue
      const part = group.parts[index] ?? 0
      const sum = group.sums[index] ?? 0n
      const isSmall = value.length <= DIGITS_MAX && Math.abs(part) < PART_MAX
      group.sums[index] = isSmall ? sum : sum + BigInt(part) + BigInt(value)
      group.parts[index] = isSmall ? part + Number(value) : 0
    }
  }

  /** Returns the groups in the order of their keys, or `undefined` if there are more than 10,000. */
  groups(): readonly Group[] | undefined {
    if (this.#isFull) return undefined
    return [...this.#groups.values()]
      .toSorted((a, b) => (a.key < b.key ? -1 : 1))
      .map(({ key, rows, sums, parts }) => {
        return {
          key,
          rows,
          sums: sums.map((sum, index) =>
            sum === undefined ? sum : sum + BigInt(parts[index] ?? 0),
          ),
        }
      })
  }

  #giveUp(): void {
    this.#isFull = true
    this.#groups = new Map()
  }
}
