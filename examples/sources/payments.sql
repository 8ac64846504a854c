-- # An orchestrator's table of payments, as PostgreSQL exports it with COPY: one state decides type and status.
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
  replaceRegexpOne(created_at, '\\+00$', 'Z') AS created_at,
  replaceRegexpOne(updated_at, '\\+00$', 'Z') AS updated_at,
  minor(amount_minor, currency) AS amount,
  currency,
  merchant_id,
  connector AS processor_id,
  JSONExtractString(ifNull(card, ''), 'scheme') AS card_brand,
  card_bin(JSONExtractString(ifNull(card, ''), 'iin')) AS bin,
  card_last4(JSONExtractString(ifNull(card, ''), 'last4')) AS last4
FROM file
