// `npm run docs:ledger` writes docs/ledger.md from the ledger's data model.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRequired } from '../packages/gateway/src/import/plan-columns.ts'
import {
  LEDGER_TABLES,
  type LedgerColumns,
  ownColumns,
  STATUSES,
  TRANSACTION_TYPES,
} from '../packages/gateway/src/ledger/model.ts'
import { code, markdownTable } from './markdown-table.ts'
import { wrapParagraph } from './wrap-paragraph.ts'

/** The page, from the root of the repository. */
export const LEDGER_PAGE = 'docs/ledger.md'

const INTRODUCTION = `<!-- Made from the data model by \`npm run docs:ledger\`. -->

# The ledger

This page lists every table and column that an [import](import.md) fills and that [report files](templates.md) read. For
example, this condition of a report file chooses the approved sales in euros:

\`\`\`yaml
condition: transaction_type = 'sale' AND status = 'approved' AND currency = 'EUR'
\`\`\`

The ledger has no column for card numbers and verification values. [The glossary](glossary.md) explains the words of
payments.

- The first column of a table is its id.
- An import needs every required column. Any other column may be missing, and is then NULL. The default of
  \`row_version\` is \`updated_at\` in milliseconds.
- The ledger sets \`loaded_at\` itself when it receives a row. No import has this column. The parameter
  [\`changedSince\`](templates.md#changes) compares it.
- \`DateTime64(3, 'UTC')\` is an instant in UTC, with milliseconds. \`Date32\` is a day.
- An amount is in the major unit of the currency that the table names: 10.42 EUR, and not 1042 cents.`

const TABLE_NOTES: Partial<Record<string, string>> = {
  transactions: `A transaction is one event: a sale, a refund, a chargeback. Each change of a transaction is a row with a
higher \`row_version\`. Reports see the highest version only.

${wrapParagraph(`\`status\` is ${listOf(STATUSES)}. \`transaction_type\` is ${listOf(TRANSACTION_TYPES)}.`)}

Each stage of a chargeback or dispute is a transaction of its own ([decision 32](decisions/0032-stages-and-legs.md)). It
has its own \`transaction_id\`, and its \`original_transaction_id\` is the disputed payment. The transactions of earlier
stages stay as they are. A chargeback takes the money in its stage \`first\`. A later stage (\`second\`, \`arbitration\`)
has the disputed amount in \`amount\`, but takes no money: \`net_amount\` and \`statement_id\` are NULL. Reports count a
chargeback without a stage as \`first\`.

A transfer from a card to a card may be two transactions, its legs. The leg in moves money from the card to the
deposit. It has a card (\`last4\` or \`card_ref_id\`) and no receiver (\`dest_last4\`, \`dest_bank\` and
\`dest_account_mask\` are NULL). Every other transfer goes out, from the deposit to the receiver.

This table says what \`net_amount\` is. A missing fee or reserve counts as 0. The figures of the report
\`settlement-statement\` add up to the \`payable\` of a statement if your data follows the table.

| Transaction | \`net_amount\` |
|---|---|
| approved sale, capture, leg in of a transfer, chargeback reversal, representment, reserve release, adjustment | \`settlement_amount\` - \`gateway_fee\` - \`reserve_amount\` |
| approved reversal, first stage of a chargeback, payout, transfer out | - \`settlement_amount\` - \`gateway_fee\` - \`reserve_amount\` |
| approved fee | - \`gateway_fee\` - \`reserve_amount\` |
| any other, also every transaction that is not approved | NULL, and \`statement_id\` is NULL |

Processors report more movements than payments. Each has a type and a sign:

- \`chargeback_reversal\`: the money of a chargeback comes back. Its \`original_transaction_id\` is the disputed payment.
- \`representment\`: the merchant contests a chargeback. If the money comes back at once, it is in
  \`settlement_amount\`. Otherwise \`settlement_amount\` and \`net_amount\` are NULL.
- \`fee\`: a fee without a payment, such as a monthly fee. \`gateway_fee\` holds the money and
  \`settlement_amount\` is NULL, so the fee counts once.
- \`adjustment\`: a correction by hand. It alone has a sign: a negative \`amount\` and \`settlement_amount\` take money.
- \`reserve_release\`: a reserve that is paid out. Use it only if the payments that held the reserve have no
  \`reserve_release\` day, because this day releases the reserve, too.

A payment to the merchant's bank account is no transaction. It is \`paid_out\` of a statement, and
\`payout_reference\` is the bank's reference.`,
  statements: `A statement says what a project of a merchant is paid for a business day, in one settlement currency. A statement never
changes.

- \`payable\` is the sum of \`net_amount\` of the transactions that name the statement in \`statement_id\`, plus the
  reserves that it releases: those of its account that are due since the statement before.
- \`closing\` is \`opening\` + \`payable\` - \`paid_out\`.
- \`opening\` is the \`closing\` of the project's statement before, in the same currency.`,
}

/** Generates the page. */
export function ledgerPage(): string {
  const sections = Object.entries(LEDGER_TABLES).map(([table, columns]) => {
    const described = columnTable(columns, ownColumns(table))
    return [`## ${table}`, TABLE_NOTES[table], described].filter(Boolean).join('\n\n')
  })
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`
}

if (import.meta.main) {
  writeFileSync(join(import.meta.dirname, '..', LEDGER_PAGE), ledgerPage())
  console.log(`${Object.keys(LEDGER_TABLES).length} tables in ${LEDGER_PAGE}`)
}

function columnTable(columns: LedgerColumns, own: LedgerColumns): string {
  const rows = Object.entries({ ...columns, ...own }).map(([name, { type, about, moneyIn }]) => [
    code(name),
    code(valueType(type)),
    Object.hasOwn(columns, name) && isRequired(columns, name) ? 'yes' : '',
    moneyIn === undefined ? about : `${about}; in ${code(moneyIn)}`,
  ])
  return markdownTable(['Column', 'Type', 'Required', 'What it holds'], rows)
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
