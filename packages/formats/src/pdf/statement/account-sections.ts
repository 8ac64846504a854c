import { USUAL_EXPONENT } from '@counterfoil/engine'
import type { Turn } from '@counterfoil/common'
import type { ReportFile, StatementLayout } from '../../format/format.ts'
import { type Prose, ROW_ROOM } from '../report/prose.ts'
import type { TablePlace } from '../table/table-writer.ts'
import { showAmount } from '../group-digits.ts'
import { limitText } from '../limit-text.ts'
import { accountTable } from './account-table.ts'
import { NAME_LENGTH_MAX, type Statement } from './statement.ts'

/** The room of the text and the titles above the rows, in points. */
const HEAD_ROOM = 66
/** The room below the text, in points. */
const TEXT_BELOW = 6

/** Draws the sections of a document of statements. Each section is an account in one currency. */
export class AccountSections {
  readonly #prose: Prose
  readonly #file: ReportFile
  readonly #layout: StatementLayout
  readonly #areListed: boolean
  readonly #turn: Turn
  #place: TablePlace
  #isContinued = false
  #sections = 0
  #still = 0

  /** @param areListed whether an overview lists the accounts, so that those without movements need no section */
  constructor(
    prose: Prose,
    file: ReportFile,
    layout: StatementLayout,
    areListed: boolean,
    place: TablePlace,
    turn: Turn,
  ) {
    this.#prose = prose
    this.#file = file
    this.#layout = layout
    this.#areListed = areListed
    this.#place = place
    this.#turn = turn
  }

  /**
   * Draws the statements of an account.
   *
   * @param isComplete whether no statement of the account follows
   */
  async add(statements: readonly Statement[], isComplete: boolean): Promise<void> {
    const [first, last] = [statements[0], statements.at(-1)]
    if (!first || !last) return
    const table = accountTable(statements, this.#layout, (amount) => {
      return this.#amount(amount, first.texts.currency)
    })
    const { rows, shown } = table
    if (shown === 0 && this.#areListed) {
      this.#still += 1
      return
    }
    this.#sections += 1
    const nameOf = (text: string): string => limitText(text, NAME_LENGTH_MAX)
    const { holder, holderId, account, accountId, currency } = first.texts
    const name = [holder, account, currency].map(nameOf).join(' · ')
    const title = this.#isContinued ? `${name}, continued` : name
    this.#isContinued = !isComplete
    const room = HEAD_ROOM + rows.length * ROW_ROOM
    let place = this.#prose.heading(this.#place, title, room)
    const days = first.texts.day === last.texts.day ? '' : ` to ${last.texts.day}`
    const left = statements.length - shown
    const hidden = left > 0 ? `, of which ${left} without movements are not listed` : ''
    place = this.#prose.text(
      place,
      `Holder id ${nameOf(holderId)}, account id ${nameOf(accountId)}. ${first.texts.day}${days}, statements: ${statements.length}${hidden}.`,
    )
    place = { ...place, y: place.y + TEXT_BELOW }
    this.#place = await this.#prose.table(place, name, table, this.#turn)
  }

  /** Draws the last statements, or that there are none. Returns the place below them. */
  async finish(statements: readonly Statement[]): Promise<TablePlace> {
    await this.add(statements, true)
    if (this.#sections + this.#still === 0) {
      return this.#prose.text(this.#place, 'The report has no statements.')
    }
    if (this.#still === 0) return this.#place
    const text = `Accounts without movements in the period, which only the first list has: ${this.#still}.`
    return this.#prose.text(this.#place, text)
  }

  /** Writes an amount with the fraction digits of its currency, or with all that it has. */
  #amount(amount: bigint, currency: string): string {
    const { values, exponents } = this.#file
    const digits = exponents?.get(currency) ?? USUAL_EXPONENT
    return showAmount(amount, digits, values.decimalSeparator)
  }
}
