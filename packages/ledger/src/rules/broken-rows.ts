import { ISO_4217 } from '@counterfoil/protocol'
import { literals } from '@counterfoil/engine'
import {
  LEDGER_TABLES,
  type LedgerTable,
  TYPES_THAT_GIVE,
  TYPES_THAT_TAKE,
} from '../model/model.ts'
import { LEDGER_RULES, type LedgerRule, type RuleSubject, type Severity } from './rules.ts'

export type RuledTable = Extract<LedgerTable, 'transactions' | 'statements'>

/** Which rows are checked: all rows of the ledger, or those of `import_valid` beside the ledger. */
export interface CheckedRows {
  readonly rows: 'ledger' | 'import'
  readonly table: RuledTable
  readonly severities: Readonly<Record<string, Severity>>
  /** No date may be after this instant, in milliseconds since 1970. */
  readonly tomorrowMs: number
}

/**
 * Returns a query for each subject of the rules. It selects the rows that break a rule: `id`, `version`, `broken` (the
 * names of the rules), and the amount `money` in `currency`. If no checked row has a value in `column`, it selects none.
 */
export function brokenRows(checked: CheckedRows) {
  return SUBJECTS_OF[checked.table].flatMap((subject) => {
    const rules = activeRules(checked.severities).filter((rule) => {
      if (rule.of !== subject) return false
      if (checked.table === 'statements' || subject !== 'statement') return true
      // An import of transactions changes the sums of statements, and nothing else of them.
      return checked.rows === 'import' && rule.name === 'statement_total'
    })
    const { column, rowsOf } = SUBJECTS[subject]
    return rules.length === 0 ? [] : [{ column, sql: brokenQuery(rowsOf(checked), rules, checked) }]
  })
}

const SUBJECTS_OF: Readonly<Record<RuledTable, readonly RuleSubject[]>> = {
  transactions: ['transaction', 'original', 'settlement', 'statement'],
  statements: ['statement'],
}

/** Returns the rules that are not off, with their severities. */
export function activeRules(severities: CheckedRows['severities']): readonly LedgerRule[] {
  return LEDGER_RULES.map((rule) => {
    return { ...rule, severity: severities[rule.name] ?? rule.severity }
  }).filter(({ severity }) => severity !== 'off')
}

function brokenQuery(
  subject: string,
  rules: readonly LedgerRule[],
  { tomorrowMs }: CheckedRows,
): string {
  const whens = rules.map(({ when }) => `ifNull(${when}, 0) != 0`).join(',\n')
  return `WITH fromUnixTimestamp64Milli(${tomorrowMs}, 'UTC') AS tomorrow
    SELECT id, version, money, money_currency AS currency,
      arrayFilter((name, is_broken) -> is_broken, ${literals(rules.map(({ name }) => name))}, [${whens}]) AS broken
    FROM (${subject}) WHERE notEmpty(broken)`
}

interface Subject {
  readonly column: string
  /** Returns SQL: the rows with everything that the rules of the subject name. */
  readonly rowsOf: (checked: CheckedRows) => string
}

const SUBJECTS: Readonly<Record<RuleSubject, Subject>> = {
  transaction: {
    column: 'transaction_id',
    rowsOf: (checked) => `SELECT *, ${MONEY}, ${terms()} FROM ${checkedRows(checked)}`,
  },
  original: { column: 'original_transaction_id', rowsOf: besideOriginals },
  settlement: { column: 'statement_id', rowsOf: besideStatements },
  statement: { column: 'statement_id', rowsOf: statementSubject },
}

function besideOriginals(checked: CheckedRows): string {
  const originals = idsOf(checked, 'original_transaction_id')
  const followers = `SELECT *, ${terms()},
    if(transaction_type IN ('chargeback_reversal', 'refund_reversal'), -amount, amount) AS taken_back,
    sumIf(taken_back, direction != 0 AND transaction_type IN ('reversal', 'refund_reversal')) OVER so_far AS refunded,
    sumIf(amount, transaction_type = 'capture' AND direction != 0) OVER so_far AS captured,
    sumIf(taken_back, direction != 0
      AND transaction_type IN ('reversal', 'refund_reversal', 'chargeback', 'chargeback_reversal')) OVER so_far AS returned
    FROM ${allRows(checked, 'transactions', `original_transaction_id IN (${originals})`)}
    WINDOW so_far AS (PARTITION BY original_transaction_id ORDER BY is_new, created_at, transaction_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)`
  const original = `SELECT transaction_id AS original_id, merchant_id AS original_merchant,
    currency AS original_currency, transaction_type AS original_type, status AS original_status,
    created_at AS original_created, amount AS original_amount, reserve_amount AS original_reserve,
    reserve_release AS original_release
    FROM ${allRows(checked, 'transactions', `transaction_id IN (${originals})`)}`
  return `SELECT *, ${MONEY} FROM (${followers}) AS follower
    LEFT ANY JOIN (${original}) AS original ON follower.original_transaction_id = original.original_id
    WHERE ${isChecked(checked)}`
}

function besideStatements(checked: CheckedRows): string {
  const settling = `SELECT statement_id AS settling_id, merchant_id AS settling_merchant,
    project_id AS settling_project, currency AS settling_currency, business_day AS settling_day
    FROM ${allRows(checked, 'statements', `statement_id IN (${idsOf(checked, 'statement_id')})`)}`
  return `SELECT *, ${MONEY} FROM (SELECT * FROM ${checkedRows(checked)} WHERE isNotNull(statement_id)) AS settled
    LEFT ANY JOIN (${settling}) AS settling ON settled.statement_id = settling.settling_id`
}

const MONEY =
  'transaction_id AS id, row_version AS version, amount AS money, currency AS money_currency'

const COLUMNS: Readonly<Record<RuledTable, string>> = {
  transactions: `transaction_id, original_transaction_id, transaction_type, status, created_at, processed_at,
  bank_date, settled_at, updated_at, row_version, amount, currency, settlement_amount, settlement_currency, fx_rate,
  gateway_fee, processor_fee, interchange_fee, scheme_fee, reseller_commission, manager_commission, reserve_amount,
  reserve_release, net_amount, statement_id, merchant_id, project_id, last4, card_ref_id, dest_last4, dest_bank,
  dest_account_mask, dispute_stage`,
  statements: Object.keys(LEDGER_TABLES.statements).join(', '),
}

const UNITS = ISO_4217.filter(({ exponent }) => exponent !== 2)

/**
 * SQL that the rules of transactions use. `type_direction` says whether the type gives money to the merchant (1), takes
 * money (-1) or moves none (0), and `direction` the same of an approved transaction.
 */
const TRANSACTION_TERMS: Readonly<Record<string, string>> = {
  stage: "ifNull(toString(dispute_stage), '')",
  is_in: `(isNotNull(last4) OR isNotNull(card_ref_id))
    AND isNull(dest_last4) AND isNull(dest_bank) AND isNull(dest_account_mask)`,
  type_direction: `multiIf(
    has(${literals(TYPES_THAT_GIVE)}, transaction_type), 1,
    transaction_type = 'chargeback' AND stage IN ('second', 'arbitration'), 0,
    has(${literals(TYPES_THAT_TAKE)}, transaction_type), -1,
    transaction_type = 'transfer', if(is_in, 1, -1),
    0)`,
  direction: "if(status = 'approved', type_direction, 0)",
  settled: 'ifNull(settlement_amount, 0)',
  fee: 'ifNull(gateway_fee, 0)',
  held: 'ifNull(reserve_amount, 0)',
  net: 'ifNull(net_amount, 0)',
  least: `transform(ifNull(toString(settlement_currency), ''), ${literals(UNITS.map(({ currency }) => currency))},
    [${UNITS.map(({ exponent }) => `toFloat64(${10 ** -exponent})`).join(', ')}], toFloat64(0.01))`,
}

function terms(): string {
  return Object.entries(TRANSACTION_TERMS)
    .map(([name, sql]) => `${sql} AS ${name}`)
    .join(',\n')
}

/** Statements beside their neighbours, the net amounts of their transactions, and the reserves that they release. */
function statementSubject(checked: CheckedRows): string {
  const isOfImport = checked.rows === 'import' && checked.table === 'transactions'
  const ids = idsOf(checked, 'statement_id')
  const projects = `SELECT project_id FROM ${allRows(checked, 'statements', `statement_id IN (${ids})`)}`
  const account = 'merchant_id, project_id, currency'
  const statements = allRows(checked, 'statements', `project_id IN (${projects})`)
  const neighbours = `SELECT *,
    row_number() OVER account = 1 AS is_first, lagInFrame(closing) OVER account AS closing_before,
    row_number() OVER account = count() OVER account AS is_last, leadInFrame(opening) OVER account AS opening_after,
    leadInFrame(is_new) OVER account AS is_next_new, count() OVER (PARTITION BY project_id, currency, business_day) AS twins
    FROM ${statements}
    WINDOW account AS (PARTITION BY ${account} ORDER BY business_day, statement_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)`
  const nets = `SELECT statement_id AS of_statement, sum(ifNull(net_amount, 0)) AS part
    FROM ${allRows(checked, 'transactions', `statement_id IN (${ids})`)}
    GROUP BY statement_id`
  // The first statement of the account on or after the day releases a reserve.
  const reserves = `SELECT merchant_id, project_id, settlement_currency, due, sum(ifNull(reserve_amount, 0)) AS part
    FROM (SELECT *, assumeNotNull(reserve_release) AS due
      FROM ${allRows(checked, 'transactions', `reserve_release IS NOT NULL AND status = 'approved' AND project_id IN (${projects})`)})
    GROUP BY merchant_id, project_id, settlement_currency, due`
  const days = `SELECT min(statement_id) AS of_statement, ${account}, business_day FROM ${statements}
    GROUP BY ${account}, business_day`
  const released = `SELECT day.of_statement AS of_statement, reserve.part AS part
    FROM (${reserves}) AS reserve ASOF INNER JOIN (${days}) AS day
    ON reserve.merchant_id = day.merchant_id AND reserve.project_id = day.project_id
      AND reserve.settlement_currency = day.currency AND reserve.due <= day.business_day`
  const totals = `SELECT of_statement, sum(part) AS total
    FROM (SELECT assumeNotNull(of_statement) AS of_statement, part FROM (${nets}) UNION ALL ${released})
    GROUP BY of_statement`
  const subject = `SELECT * FROM (${neighbours}) AS statement
    LEFT ANY JOIN (${totals}) AS totals ON statement.statement_id = totals.of_statement
    WHERE statement_id IN (${ids}) AND ${isOfImport ? '1' : isChecked(checked)}`
  const money = 'payable - total AS money, currency AS money_currency'
  if (!isOfImport)
    return `SELECT *, statement_id AS id, toInt64(0) AS version, ${money} FROM (${subject})`
  const rows = `SELECT statement_id AS of_rows, min(transaction_id) AS id,
    argMin(row_version, transaction_id) AS version
    FROM import_valid WHERE isNotNull(statement_id) GROUP BY statement_id`
  return `SELECT *, ${money} FROM (${subject}) AS subject
    INNER JOIN (${rows}) AS of_import ON subject.statement_id = of_import.of_rows`
}

function checkedRows({ rows, table }: CheckedRows): string {
  return `(SELECT ${COLUMNS[table]} FROM ${rows === 'import' ? 'import_valid' : `${table} FINAL`})`
}

function isChecked({ rows }: CheckedRows): string {
  return rows === 'import' ? 'is_new = 1' : '1'
}

function idsOf(checked: CheckedRows, column: string): string {
  if (checked.rows === 'ledger' && column === 'statement_id' && checked.table === 'statements') {
    return `SELECT statement_id FROM ${checkedRows(checked)}`
  }
  return `SELECT assumeNotNull(${column}) FROM ${checkedRows(checked)} WHERE isNotNull(${column})`
}

/** SQL: rows of the ledger and of the import in their newest version. `is_new` tells the rows of the import. */
function allRows({ rows, table: imported }: CheckedRows, table: RuledTable, where: string): string {
  const columns = COLUMNS[table]
  if (rows === 'ledger' || table !== imported) {
    return `(SELECT ${columns}, 0 AS is_new FROM ${table} FINAL WHERE ${where})`
  }
  const [id, version] =
    table === 'transactions' ? ['transaction_id', 'row_version DESC, '] : ['statement_id', '']
  return `(SELECT * FROM (
    SELECT ${columns}, 0 AS is_new FROM ${table} WHERE ${where}
    UNION ALL SELECT ${columns}, 1 AS is_new FROM import_valid WHERE ${where})
    ORDER BY ${version}is_new LIMIT 1 BY ${id})`
}

const DAY_MS = 86_400_000

/** The last instant of tomorrow, in UTC. */
export function endOfTomorrow(now: () => number = Date.now): number {
  return (Math.floor(now() / DAY_MS) + 2) * DAY_MS - 1
}
