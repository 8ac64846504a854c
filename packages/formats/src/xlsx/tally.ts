import { BalanceSummands } from '../documents/balance-summands.ts'
import { Sums } from './sums.ts'

const UNIT = 0x1f
const ZERO = 0x30

/** Counts what the second sheet says about the rows. */
export class Tally {
  readonly sums = new Sums()
  /** Whether the last fields of a record are an opening balance, a closing balance, and their account. */
  readonly #hasBalances: boolean
  readonly #balances = new BalanceSummands()
  #numbersAsText = 0
  #cutTexts = 0

  constructor(hasBalances = false) {
    this.#hasBalances = hasBalances
  }

  /** How many cells hold a number as text, because spreadsheets would drop digits. */
  get numbersAsText(): number {
    return this.#numbersAsText
  }

  /** How many cells hold only the beginning of a text. */
  get cutTexts(): number {
    return this.#cutTexts
  }

  /**
   * Adds the fields of a record that stand between two positions: those after its XML.
   *
   * @returns whether the XML has hard texts
   */
  add(records: Buffer, start: number, end: number): boolean {
    const hardEnd = records.indexOf(UNIT, start)
    let at = hardEnd + 1
    let numbers = 0
    for (; at < end && records[at] !== UNIT; at += 1) {
      numbers = numbers * 10 + (records[at] ?? ZERO) - ZERO
    }
    this.#numbersAsText += numbers
    if (at < end && this.#hasBalances) this.#addBalances(records.toString('utf8', at + 1, end))
    else if (at < end) this.sums.add(records, at + 1, end)
    return records[start] !== ZERO
  }

  countCutText(): void {
    this.#cutTexts += 1
  }

  #addBalances(text: string): void {
    const fields = text.split('\x1f')
    const [opening = '', closing = '', account = ''] = fields.splice(-3)
    const balances = this.#balances.of(account, BigInt(opening), BigInt(closing))
    const summed = Buffer.from([...fields, ...balances].join('\x1f'))
    this.sums.add(summed, 0, summed.length)
  }
}
