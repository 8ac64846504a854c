// Rows that no generated ledger has: an order whose second attempt has the smaller id and whose first attempt is
// charged back in three stages, a transfer in two legs with a statement of its own, and two statements for one day of a
// project. One statement pays the reserve of the first attempt, and the other is empty.
export const OWN_ROWS = [
  `INSERT INTO transactions
  SELECT transactions.* REPLACE (
    2000000000000000001 - later AS transaction_id, 'own-order' AS client_order_id,
    toDateTime64('2026-02-03 10:00:00', 3, 'UTC') + toIntervalHour(later) AS created_at,
    if(later, 'declined', 'approved') AS status, 'CHF' AS settlement_currency, NULL AS statement_id,
    if(later, NULL, 5) AS reserve_amount, if(later, NULL, toDate32('2026-03-04')) AS reserve_release
  )
  FROM transactions CROSS JOIN (SELECT arrayJoin([0, 1]) AS later) AS attempts
  WHERE transactions.transaction_id = {sale:String}`,
  `INSERT INTO transactions
  SELECT attempt.* REPLACE (
    2000000000000000003 + stage AS transaction_id, 2000000000000000001 AS original_transaction_id,
    'chargeback' AS transaction_type, ['first', 'second', 'arbitration'][stage] AS dispute_stage,
    attempt.created_at + toIntervalMonth(stage + 1) AS created_at, NULL AS net_amount, NULL AS settlement_amount,
    NULL AS reserve_amount, NULL AS reserve_release
  )
  FROM transactions AS attempt CROSS JOIN (SELECT arrayJoin([1, 2, 3]) AS stage) AS stages
  WHERE attempt.transaction_id = '2000000000000000001'`,
  `INSERT INTO transactions
  SELECT transactions.* REPLACE (
    2000000000000000010 + leg AS transaction_id, 'own-transfer' AS client_order_id, 'transfer' AS transaction_type,
    toDateTime64('2026-03-04 10:00:00', 3, 'UTC') + toIntervalMinute(leg) AS created_at,
    if(leg, NULL, last4) AS last4, if(leg, NULL, bin) AS bin, if(leg, NULL, card_ref_id) AS card_ref_id,
    if(leg, '4444', NULL) AS dest_last4, 100 AS settlement_amount, 'DKK' AS settlement_currency,
    if(leg, 3, 2) AS gateway_fee, if(leg, -103, 98) AS net_amount, NULL AS reserve_amount, NULL AS reserve_release,
    79400000002 AS statement_id, toDate32('2026-03-05') AS bank_date
  )
  FROM transactions CROSS JOIN (SELECT arrayJoin([0, 1]) AS leg) AS legs
  WHERE transactions.transaction_id = {sale:String}`,
  `INSERT INTO statements
    (statement_id, merchant_id, project_id, currency, business_day, opening, payable, paid_out, closing,
    company_id, manager_id, reseller_id)
  SELECT
    79400000002, merchant_id, project_id, 'DKK', toDate32('2026-03-05'), 0, -5, 0, -5,
    company_id, manager_id, reseller_id
  FROM transactions WHERE transaction_id = {sale:String}`,
  `INSERT INTO statements
    (statement_id, merchant_id, project_id, currency, business_day, opening, payable, paid_out, closing,
    company_id, manager_id, reseller_id)
  SELECT
    79300000000 + empty, merchant_id, project_id, if(empty, 'NOK', 'CHF'), toDate32('2026-03-04'),
    0, if(empty, 0, 5), if(empty, 0, 5), 0, company_id, manager_id, reseller_id
  FROM transactions CROSS JOIN (SELECT arrayJoin([0, 1]) AS empty) AS statements
  WHERE transaction_id = {sale:String}`,
  // A sale with a refund or chargeback moves to another manager.
  `INSERT INTO transactions
  SELECT * REPLACE (toInt32(manager_id) + 1 AS manager_id, row_version + 1 AS row_version)
  FROM transactions WHERE transaction_id = {moved:String}`,
]
