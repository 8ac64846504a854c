-- # A shop's orders: one row stands for a sale and perhaps a refund, and a second file names the merchants.
-- timezone: America/New_York
-- lookups: { shops: shops.csv }
SELECT
  _line,
  concat(order, event.1) AS transaction_id,
  order AS order_id,
  if(event.2 = 'refund', order, NULL) AS original_transaction_id,
  event.2 AS transaction_type,
  if(state = 'failed', 'declined', 'approved') AS status,
  event.3 AS created_at,
  event.4 AS amount,
  file.currency AS currency,
  shops.merchant AS merchant_id,
  email
FROM file
LEFT JOIN shops ON shops.shop = file.shop
ARRAY JOIN arrayFilter(
  one -> one.3 != '',
  [('', 'sale', ifNull(paid_at, ''), total), ('-refund', 'refund', ifNull(refunded_at, ''), refunded)]) AS event
