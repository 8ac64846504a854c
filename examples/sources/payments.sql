-- # An orchestrator's tables in PostgreSQL, ../databases/payments.sql: one state decides type and status.
-- database:
--   name: orchestrator
--   key: payment_id
--   changed: updated_at
--   created: created_at
--   query: |
--     SELECT payments.*, merchants.reference AS shop
--     FROM payments JOIN merchants ON merchants.id = payments.merchant_id
SELECT
  _line,
  if(state = 'draft', 'never sent', '') AS _skip,
  payment_id AS transaction_id,
  attempt_of AS order_id,
  merchant_reference AS client_order_id,
  if(state IN ('authorized', 'voided'), 'preauth', 'sale') AS transaction_type,
  transform(
    state,
    ['captured', 'authorized', 'voided', 'rejected', 'blocked', 'failed', 'pending'],
    ['approved', 'approved', 'approved', 'declined', 'filtered', 'error', 'processing'],
    state) AS status,
  created_at,
  updated_at,
  minor(amount_minor, currency) AS amount,
  currency,
  shop AS merchant_id,
  connector AS processor_id,
  JSONExtractString(ifNull(card, ''), 'scheme') AS card_brand,
  card_bin(JSONExtractString(ifNull(card, ''), 'iin')) AS bin,
  card_last4(JSONExtractString(ifNull(card, ''), 'last4')) AS last4
FROM file
