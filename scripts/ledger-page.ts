import { isRequired } from '../packages/ledger/src/import/check/required-columns.ts'
import {
  LEDGER_TABLES,
  type LedgerColumns,
  ownColumns,
  STATUSES,
  TRANSACTION_TYPES,
} from '../packages/ledger/src/model/model.ts'
import { code, markdownTable } from './markdown-table.ts'
import { wrapParagraph } from './wrap-paragraph.ts'

const INTRODUCTION = `<!-- Made from the data model by \`npm run docs\`. -->

# The ledger

This page lists every table and column that [a source](own-data.md) fills and that [report files](templates.md) read.
For example, this condition of a report file chooses the approved sales in euros:

\`\`\`yaml
condition: transaction_type = 'sale' AND status = 'approved' AND currency = 'EUR'
\`\`\`

- The first column of a table is its id. A column that is not required may be missing in a source. It is then NULL, but
  for the ids and times that [have another value](own-data.md#a-source).
- Ids are your own texts: 1 to 128 characters without control characters, and without a space at either end. The
  gateway compares them character by character, so \`7\` and \`007\` are two ids. Where a report sorts by an id, \`10\`
  comes before \`9\`.
- \`DateTime64(3, 'UTC')\` is an instant in UTC, with milliseconds. \`Date32\` is a day.
- An amount is in the major unit of its currency: 10.42 EUR, and not 1042 cents.
- The ledger has no column for card numbers. [The glossary](glossary.md) explains the words of payments.`

const TABLE_NOTES: Partial<Record<string, string>> = {
  transactions: `A transaction is one event. Each change of a transaction is a row with a higher \`row_version\`, and reports see the
highest version only.

${wrapParagraph(`\`status\` is ${listOf(STATUSES)}. \`transaction_type\` is ${listOf(TRANSACTION_TYPES)}.`)}

**Chargebacks.** Each stage of a chargeback or dispute is [a transaction of its own](decisions/0032-stages-and-legs.md).
The stage \`first\`, or none, takes the money and counts in reports. A later stage has the disputed amount in \`amount\`,
but NULL in \`net_amount\` and \`statement_id\`.

**Transfers.** A transfer from a card to a card may be two transactions. The leg in moves money from the card to the
deposit: it has a card (\`last4\` or \`card_ref_id\`) and no receiver (\`dest_last4\`, \`dest_bank\` and
\`dest_account_mask\` are NULL). Every other transfer goes out.

**Net amounts.** If your data follows this table, the figures of the report \`settlement-statement\` add up to the
\`payable\` of a statement. A missing fee or reserve counts as 0.

| Transaction | \`net_amount\` |
|---|---|
| approved sale, capture, leg in of a transfer, chargeback reversal, refund reversal, representment, reserve release, adjustment | \`settlement_amount\` - \`gateway_fee\` - \`reserve_amount\` |
| approved reversal, first stage of a chargeback, payout, transfer out | - \`settlement_amount\` - \`gateway_fee\` - \`reserve_amount\` |
| approved fee | - \`gateway_fee\` - \`reserve_amount\` |
| any other | NULL, and \`statement_id\` is NULL |

**Other movements.**

- \`chargeback_reversal\` and \`refund_reversal\`: the money of a chargeback or refund comes back.
- \`representment\`: the merchant contests a chargeback. Unless the money comes back at once, \`settlement_amount\` and
  \`net_amount\` are NULL.
- \`fee\`: a fee without a payment. \`gateway_fee\` holds the money, and \`settlement_amount\` is NULL.
- \`adjustment\`: a correction by hand. It alone has a sign: a negative \`amount\` and \`settlement_amount\` take money.
- \`reserve_release\`: a reserve that is paid out. Use it only if the payments that held the reserve have no
  \`reserve_release\` day, which releases the reserve too.
- A payment to the merchant's bank account is no transaction. It is \`paid_out\` of a statement.`,
  statements: `A statement says what a project of a merchant is paid for a business day, in one settlement currency. A statement never
changes.

- \`payable\` is the sum of \`net_amount\` of the transactions with this \`statement_id\`, plus the reserves of the account
  that are due since the statement before.
- \`closing\` is \`opening\` + \`payable\` - \`paid_out\`.
- \`opening\` is the \`closing\` of the project's statement before, in the same currency.`,
}

/** Generates docs/ledger.md from the ledger's data model. */
export function ledgerPage(): string {
  const { transactions, statements, ...others } = LEDGER_TABLES
  const sections = Object.entries({ transactions, statements }).map(([table, columns]) => {
    return [`## ${table}`, TABLE_NOTES[table], columnTable(columns, ownColumns(table))]
  })
  const parts = [[INTRODUCTION], ...sections, ['## The other tables', tablesOf(others)]]
  return `${parts.flat().join('\n\n')}\n`
}

function columnTable(columns: LedgerColumns, own: LedgerColumns): string {
  const rows = Object.entries({ ...columns, ...own }).map(([name, { type, about, moneyIn }]) => {
    const isNeeded = Object.hasOwn(columns, name) && isRequired(columns, name)
    const typed = `${code(valueType(type))}${isNeeded ? ', required' : ''}`
    return [code(name), typed, moneyIn === undefined ? about : `${about}; in ${code(moneyIn)}`]
  })
  return markdownTable(['Column', 'Type', 'What it holds'], rows)
}

/** Lists the columns of several tables, one table in each row. The names of ids explain themselves. */
function tablesOf(tables: Readonly<Record<string, LedgerColumns>>): string {
  const rows = Object.entries(tables).map(([table, columns]) => {
    const listed = Object.entries(columns).map(([name, { type, about }]) => {
      const isPlain = name === 'name' || name.endsWith('_id')
      const notes = [
        code(valueType(type)),
        ...(isRequired(columns, name) ? [] : ['optional']),
        ...(isPlain ? [] : [about]),
      ]
      return `${code(name)} (${notes.join(', ')})`
    })
    return [code(table), listed.join('; ')]
  })
  return markdownTable(['Table', 'Columns'], rows)
}

/** Returns the type of a column's values. Another column of the table says whether a value may be missing. */
function valueType(type: string): string {
  return type.replace(/^LowCardinality\((.*)\)$/, '$1').replace(/^Nullable\((.*)\)$/, '$1')
}

/** Lists values in the order of the model. */
function listOf(values: readonly string[]): string {
  const [last = '', ...others] = values.map(code).toReversed()
  return `${others.toReversed().join(', ')} or ${last}`
}
