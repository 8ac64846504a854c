import { literals } from '@counterfoil/engine'
import { DAYS, FIRST_DAY_NUMBER } from './calendar.ts'
import { CURRENCIES } from './currencies.ts'
import { companyOf, type Entities, managerOn, merchantOfProject, resellerOf } from './entities.ts'
import { STATEMENT_ID, statementId } from './order-columns.ts'
import { type Columns, pick } from './sql.ts'

/**
 * The SQL that inserts the statements of some merchants. A day adds the net amounts of its transactions and the
 * reserves that it releases. The operator pays the balance, except for what later refunds and payouts will take, so no
 * balance is ever negative. An account that begins with more payouts than sales opens with a deposit.
 */
export function insertStatements(entities: Entities, merchants: readonly [number, number]): string {
  const ids = Array.from({ length: merchants[1] - merchants[0] }, (_, at) =>
    String(merchants[0] + at),
  )
  const mine = `(SELECT toInt64(statement_id) AS statement_id, toInt64(project_id) AS project_id, net_amount,
      reserve_amount, reserve_release
    FROM transactions WHERE merchant_id IN ${literals(ids)} AND isNotNull(statement_id))`
  const releaseDay = `toInt64(reserve_release) - ${FIRST_DAY_NUMBER}`
  const parts = `
    SELECT statement_id AS id, net_amount AS part FROM ${mine}
    UNION ALL
    SELECT ${statementId(releaseDay, 'project_id', `statement_id % ${STATEMENT_ID.project}`)}, reserve_amount
    FROM ${mine} WHERE ${releaseDay} < ${DAYS}`
  const days = `SELECT assumeNotNull(id) AS statement_id, sum(assumeNotNull(part)) AS payable FROM (${parts}) GROUP BY id`
  // For each project and currency: the sum so far, and the least sum from this day on. The operator pays up to it.
  const series = `PARTITION BY statement_id % ${STATEMENT_ID.day} ORDER BY statement_id`
  const sums = `SELECT *, sum(payable) OVER (${series}) AS total FROM (${days})`
  const least = `
    SELECT *,
      -least(0, min(total) OVER (PARTITION BY statement_id % ${STATEMENT_ID.day})) AS deposit,
      deposit + min(total) OVER (${series} ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS paid
    FROM (${sums})`
  const paid = `
    SELECT *, sum(paid) OVER (${series} ROWS BETWEEN 1 PRECEDING AND 1 PRECEDING) AS paid_before FROM (${least})`
  const made: Columns = {
    statement_id: 'statement_id',
    project_id: `intDiv(statement_id % ${STATEMENT_ID.day}, ${STATEMENT_ID.project})`,
    merchant_id: merchantOfProject(entities, 'project_id'),
    currency: pick(
      CURRENCIES.map(({ code }) => code),
      `statement_id % ${STATEMENT_ID.project}`,
    ),
    business_day: `toDate32(${FIRST_DAY_NUMBER} + intDiv(statement_id, ${STATEMENT_ID.day}))`,
    opening: 'deposit + total - payable - paid_before',
    payable: 'payable',
    paid_out: 'paid - paid_before',
    closing: 'deposit + total - paid',
    company_id: companyOf(entities, 'merchant_id'),
    reseller_id: resellerOf(entities, 'merchant_id'),
    manager_id: managerOn(
      entities,
      'merchant_id',
      'reseller_id',
      `intDiv(statement_id, ${STATEMENT_ID.day})`,
    ),
  }
  const columns = Object.entries(made).map(([name, sql]) => `${sql} AS ${name}`)
  return `INSERT INTO statements (${Object.keys(made).join(', ')})
    SELECT ${columns.join(',\n')} FROM (${paid})`
}
