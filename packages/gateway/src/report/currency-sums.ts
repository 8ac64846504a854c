import type { ControlTotal } from '@counterfoil/protocol'
import { writeAmount } from '../formats/documents/exact-amounts.ts'
import { LIMITS } from '../limits.ts'

/** The length of an amount (`Int128`). */
export const AMOUNT_BYTES = 16

// No amount is this large: it stands for a row without an amount.
const NO_AMOUNT = -(10n ** 38n - 1n)

/** The SQL of the bytes of an amount: ten-thousandths as a number of 128 bits. */
export function amountSql(sql: string): string {
  const amount = `CAST((${sql}\n) AS Nullable(Decimal(38, 4)))`
  const none = "toDecimal128('-9999999999999999999999999999999999.9999', 4)"
  return `reinterpretAsFixedString(ifNull(${amount}, ${none}))`
}

/** The sum of one currency. */
interface Sum {
  readonly currency: string
  amounts: number
  whole: bigint
  /** The part of the sum that is not in `whole` yet. Adding numbers is much faster than adding bigints. */
  part: number
}

const WORD = 2 ** 32
// The upper half of a number of 64 bits, if the number has at most 52 bits.
const HIGH_MAX = 2 ** 19
// Two numbers up to this one are exact together.
const PART_MAX = 2 ** 52
const CODE_LENGTH = 3
// The fraction digits of amounts in a report, unless the request asks for others.
const DECIMALS = 3

/** Sums amounts by their currencies, exactly. */
export class CurrencySums {
  readonly #sums = new Map<number | string, Sum>()
  #lastKey: number | string = -1
  #last: Sum | undefined
  #hasTooMany = false

  /** Whether there are more currencies than a run records. */
  get hasTooMany(): boolean {
    return this.#hasTooMany
  }

  /**
   * Adds an amount.
   *
   * @param currencyAt where its currency stands in `bytes`: a byte with its length, and its name
   * @param amountAt where the amount stands in `view`
   */
  add(bytes: Buffer, currencyAt: number, view: DataView, amountAt: number): void {
    const sum = this.#sumOf(bytes, currencyAt)
    if (sum === undefined) return
    const high = view.getInt32(amountAt + 4, true)
    const sign = high < 0 ? -1 : 0
    const isSmall =
      view.getInt32(amountAt + 8, true) === sign &&
      view.getInt32(amountAt + 12, true) === sign &&
      Math.abs(high) < HIGH_MAX &&
      Math.abs(sum.part) < PART_MAX
    if (isSmall) {
      sum.part += high * WORD + view.getUint32(amountAt, true)
      sum.amounts += 1
      return
    }
    const amount = (view.getBigInt64(amountAt + 8, true) << 64n) + view.getBigUint64(amountAt, true)
    if (amount === NO_AMOUNT) return
    sum.whole += amount + BigInt(sum.part)
    sum.part = 0
    sum.amounts += 1
  }

  /** Returns the sum of each currency, in the order of their names. */
  totals(): readonly Omit<ControlTotal, 'column'>[] {
    return [...this.#sums.values()]
      .filter(({ amounts }) => amounts > 0)
      .map(({ currency, amounts, whole, part }) => {
        return { currency, amounts, sum: writeAmount(whole + BigInt(part), DECIMALS, '.') }
      })
      .toSorted((one, other) => (one.currency < other.currency ? -1 : 1))
  }

  #sumOf(bytes: Buffer, at: number): Sum | undefined {
    const length = bytes[at] ?? 0
    const name = (): string => bytes.toString('utf8', at + 1, at + 1 + length)
    // A number is a faster key than a text.
    const key = length === CODE_LENGTH ? bytes.readUIntLE(at + 1, CODE_LENGTH) : name()
    if (key === this.#lastKey) return this.#last
    let sum = this.#sums.get(key)
    if (sum === undefined && this.#sums.size < LIMITS.controlCurrenciesMax) {
      sum = { currency: name(), amounts: 0, whole: 0n, part: 0 }
      this.#sums.set(key, sum)
    }
    this.#hasTooMany ||= sum === undefined
    this.#lastKey = key
    this.#last = sum
    return sum
  }
}
