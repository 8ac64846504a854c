import { Sums } from './sums.ts'

/** Counts what the second sheet says about the rows. */
export class Tally {
  readonly sums = new Sums()
  #numbersAsText = 0
  #cutTexts = 0

  /** How many cells hold a number as text, because spreadsheets would drop digits. */
  get numbersAsText(): number {
    return this.#numbersAsText
  }

  /** How many cells hold only the beginning of a text. */
  get cutTexts(): number {
    return this.#cutTexts
  }

  /**
   * Adds the fields of a record after its XML.
   *
   * @returns whether the XML has hard texts
   */
  add([hardTexts, numbersAsText = '0', key, ...values]: readonly string[]): boolean {
    this.#numbersAsText += Number(numbersAsText)
    if (key !== undefined) this.sums.add(key, values)
    return hardTexts !== '0'
  }

  countCutText(): void {
    this.#cutTexts += 1
  }
}
