// Rows that no generated ledger has: an order whose second attempt has the smaller id and whose first attempt is
// charged back in three stages, and two statements for one day of a project. One statement pays the reserve of the first
// attempt, and the other is empty.
export const OWN_ROWS = [
  `INSERT INTO transactions
  SELECT transactions.* REPLACE (
    2000000000000000001 - later AS transaction_id, 'own-order' AS client_order_id,
    toDateTime64('2026-02-03 10:00:00', 3, 'UTC') + toIntervalHour(later) AS created_at,
    if(later, 'declined', 'approved') AS status, 'CHF' AS settlement_currency, NULL AS statement_id,
    if(later, NULL, 5) AS reserve_amount, if(later, NULL, toDate32('2026-03-04')) AS reserve_release
  )
  FROM transactions CROSS JOIN (SELECT arrayJoin([0, 1]) AS later) AS attempts
  WHERE transactions.transaction_id = {sale:Int64}`,
  `INSERT INTO transactions
  SELECT attempt.* REPLACE (
    2000000000000000003 + stage AS transaction_id, 2000000000000000001 AS original_transaction_id,
    'chargeback' AS transaction_type, ['first', 'second', 'arbitration'][stage] AS dispute_stage,
    attempt.created_at + toIntervalMonth(stage + 1) AS created_at, NULL AS net_amount, NULL AS settlement_amount,
    NULL AS reserve_amount, NULL AS reserve_release
  )
  FROM transactions AS attempt CROSS JOIN (SELECT arrayJoin([1, 2, 3]) AS stage) AS stages
  WHERE attempt.transaction_id = 2000000000000000001`,
  `INSERT INTO statements
    (statement_id, merchant_id, project_id, currency, business_day, opening, payable, paid_out, closing,
    company_id, manager_id, reseller_id)
  SELECT
    79300000000 + empty, merchant_id, project_id, if(empty, 'NOK', 'CHF'), toDate32('2026-03-04'),
    0, if(empty, 0, 5), if(empty, 0, 5), 0, company_id, manager_id, reseller_id
  FROM transactions CROSS JOIN (SELECT arrayJoin([0, 1]) AS empty) AS statements
  WHERE transaction_id = {sale:Int64}`,
  // A sale with a refund or chargeback moves to another manager.
  `INSERT INTO transactions
  SELECT * REPLACE (manager_id + 1 AS manager_id, row_version + 1 AS row_version)
  FROM transactions WHERE transaction_id = {moved:Int64}`,
]
