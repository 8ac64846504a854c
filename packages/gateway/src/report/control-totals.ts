import type { ControlTotal } from '@counterfoil/protocol'
import type { EngineChunk } from '../engine/engine.ts'
import type { SelectedColumn } from '../formats/format.ts'
import { freeMemory } from '../free-memory.ts'
import { Turn } from '../turn.ts'
import { AMOUNT_BYTES, amountSql, CurrencySums } from './currency-sums.ts'

/** A column of amounts, and the index of the column with its currencies. */
interface AmountColumn {
  readonly title: string
  readonly sql: string
  readonly currency: number
  readonly sums: CurrencySums
}

// A row begins with the length of its text (`UInt32`).
const LENGTH_BYTES = 4
// The length of a currency is one byte.
const CURRENCY_BYTES_MAX = 100
// How many bytes are read between two looks at the clock.
const LOOK_BYTES = 64 * 1024

/**
 * Sums the amounts of a report's file, separately for each column and currency. The currencies and amounts of a row
 * stand before its text in the result of the same query. So the sums are exactly those of the rows in the file.
 */
export class ControlTotals {
  /** The SQL of each column of currencies. */
  readonly #currencies: readonly string[]
  readonly #amounts: readonly AmountColumn[]

  /** @param titles the titles of the columns in the file */
  constructor(columns: readonly SelectedColumn[], titles: readonly string[]) {
    const currencies = [...new Set(columns.flatMap(({ currencySql }) => currencySql ?? []))]
    this.#currencies = currencies
    this.#amounts = columns.flatMap(({ kind, sql, currencySql }, index) => {
      if (kind !== 'money' || currencySql === undefined) return []
      const currency = currencies.indexOf(currencySql)
      return [{ title: titles[index] ?? '', sql, currency, sums: new CurrencySums() }]
    })
  }

  /** Returns the SQL of a row: the length of its text, its currencies, its amounts, and the text. */
  rowSql(text: string): string {
    if (this.#amounts.length === 0) return text
    const currencies = this.#currencies.map((sql, index) => {
      const name = `_currency_${index}`
      const currency = `left(ifNull(toString((${sql}\n)), ''), ${CURRENCY_BYTES_MAX})`
      return `char(length(CAST(${currency} AS String) AS ${name})), ${name}`
    })
    const amounts = this.#amounts.map(({ sql }) => amountSql(sql))
    const length = `reinterpretAsFixedString(toUInt32(length(${text} AS _text)))`
    return `concat(${[length, ...currencies, ...amounts, '_text'].join(', ')})`
  }

  /**
   * Sums the amounts of the rows, and yields their texts. The texts stay in the memory of their chunk. A chunk may end
   * inside a row. Other requests have their turn in a large chunk.
   *
   * @throws an Error if the last row is incomplete
   */
  async *read(chunks: AsyncIterable<EngineChunk>): AsyncGenerator<EngineChunk, void> {
    if (this.#amounts.length === 0) {
      yield* chunks
      return
    }
    const turn = new Turn()
    let rest: Buffer = Buffer.alloc(0)
    for await (const { bytes, rows } of chunks) {
      const all = rest.length > 0 ? Buffer.concat([rest, bytes]) : bufferOf(bytes)
      if (rest.length > 0) freeMemory(bytes.buffer)
      const { textsEnd, end } = await this.#readRows(all, turn)
      // Whoever sends the texts frees the memory of the chunk.
      rest = Buffer.from(all.subarray(end))
      yield { bytes: all.subarray(0, textsEnd), rows }
    }
    if (rest.length > 0) throw new Error('The result ended inside a row.')
  }

  /** Returns the totals of the rows so far, or `undefined` if they have too many currencies. */
  totals(): readonly ControlTotal[] | undefined {
    if (this.#amounts.some(({ sums }) => sums.hasTooMany)) return undefined
    return this.#amounts.flatMap(({ title, sums }) => {
      return sums.totals().map((total) => ({ column: title, ...total }))
    })
  }

  /** Moves the texts of the complete rows to the beginning. Returns where they end, and where the next row begins. */
  async #readRows(
    bytes: Buffer,
    turn: Turn,
  ): Promise<{ readonly textsEnd: number; readonly end: number }> {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    const currencies = this.#currencies.map(() => 0)
    let [textsEnd, end, lookAt] = [0, 0, LOOK_BYTES]
    while (end + LENGTH_BYTES <= bytes.length) {
      if (end >= lookAt) {
        lookAt = end + LOOK_BYTES
        if (turn.isOver) await turn.next()
      }
      const length = view.getUint32(end, true)
      let at = end + LENGTH_BYTES
      for (let index = 0; index < currencies.length; index += 1) {
        currencies[index] = at
        at += 1 + (bytes[at] ?? 0)
      }
      const text = at + this.#amounts.length * AMOUNT_BYTES
      if (text + length > bytes.length) break
      for (const { currency, sums } of this.#amounts) {
        sums.add(bytes, currencies[currency] ?? 0, view, at)
        at += AMOUNT_BYTES
      }
      bytes.copyWithin(textsEnd, text, text + length)
      textsEnd += length
      end = text + length
    }
    return { textsEnd, end }
  }
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
