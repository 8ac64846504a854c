-- # Balance transactions of an API as JSON lines: text ids, minor units, seconds since 1970, nested objects.
WITH money AS (
  SELECT *, upper(currency) AS code, abs(minor(amount, code)) AS gross, minor(fee, code) AS cost FROM file
)
SELECT
  _line,
  if(type = 'payout', 'payment to the bank', '') AS _skip,
  id AS transaction_id,
  source AS order_id,
  nullIf(JSONExtractString(details, 'charge'), '') AS original_transaction_id,
  transform(type, ['charge'], ['sale'], type) AS transaction_type,
  'approved' AS status,
  toDateTime(toUInt32OrNull(created), 'UTC') AS created_at,
  gross AS amount,
  code AS currency,
  gross AS settlement_amount,
  code AS settlement_currency,
  cost AS gateway_fee,
  minor(net, code) AS net_amount,
  account AS merchant_id
FROM money
