-- # An acquirer's settlement file: lines of several kinds without a header row, local times, decimal commas.
-- delimiter: ";"
-- encoding: windows-1252
-- columns: [kind, reference, type, booked, amount, fee, currency, card, description]
-- ragged: true
-- timezone: Europe/Berlin
-- days: DD.MM.YYYY
SELECT
  _line,
  multiIf(kind = 'T', '', kind = 'F', 'total of the file', 'heading') AS _skip,
  reference AS transaction_id,
  if(type = 'CHARGEBACK', splitByChar('-', reference)[1], NULL) AS original_transaction_id,
  transform(type, ['SALE', 'REFUND', 'CHARGEBACK'], ['sale', 'refund', 'chargeback'], type) AS transaction_type,
  'approved' AS status,
  booked AS created_at,
  replaceAll(replaceOne(amount, ',', '.'), '-', '') AS amount,
  currency,
  currency AS settlement_currency,
  replaceOne(fee, ',', '.') AS processor_fee,
  'shop-4711' AS merchant_id,
  'card' AS payment_method,
  card_bin(card) AS bin,
  card_last4(card) AS last4,
  description AS order_description
FROM file
