/** The rows of both files. An amount is `NULL` where the comparison does not need it, and a status where it is unknown. */
export const TABLES = `
CREATE TABLE orders (id TEXT, line INTEGER, amount TEXT, currency TEXT, status TEXT);
CREATE TABLE transactions (id TEXT, line INTEGER, amount TEXT, currency TEXT, kind TEXT);`

/** Adds a list of decimals. Node frees what a call of a function took when the statement ends, so only lists call one. */
const sum = (list: string) => `iif(instr(${list}, ' '), exact_sum(${list}), ${list})`

/**
 * Sums up each order of the shop. SQLite takes columns without an aggregate function from the row of `min(line)`.
 *
 * @param addRepeated Whether rows that have the same order id, status and currency are one order.
 */
export const sumOrdersSql = (addRepeated: boolean) => `
CREATE TABLE ours (id TEXT PRIMARY KEY, line, rows, currency, status, amount, is_repeated) WITHOUT ROWID;
INSERT INTO ours
SELECT id, min(line), count(*), nullif(currency, ''), status,
  CASE WHEN status IS NOT 'unpaid' THEN ${sum(`group_concat(amount, ' ')`)} END,
  count(*) > 1 AND NOT (${addRepeated} AND min(status) IS max(status) AND min(currency) = max(currency))
FROM orders GROUP BY id`

/** Sums up the transactions of each order by currency. */
export const SUM_TRANSACTIONS = `
CREATE TABLE money (id TEXT, currency TEXT, line, rows, is_charged_back, paid, refunded, PRIMARY KEY (id, currency))
WITHOUT ROWID;
INSERT INTO money
SELECT id, currency, min(line), count(*), max(kind = 'chargeback'),
  ${sum(`group_concat(amount, ' ') FILTER (WHERE kind = 'payment')`)},
  ${sum(`group_concat(amount, ' ') FILTER (WHERE kind = 'refund')`)}
FROM transactions GROUP BY id, currency`

/** Joins the orders of both files. `ours` is a table because SQLite uses no index of a subquery in a full join. */
export const COMPARE = `
CREATE TABLE compared AS
WITH theirs AS (
  SELECT id, min(line) AS line, sum(rows) AS rows, count(paid) > 0 AS has_payment,
    -- Amounts of different currencies have no sum.
    CASE WHEN count(paid) = 1 THEN max(paid) END AS amount,
    nullif(group_concat(currency, '+') FILTER (WHERE paid IS NOT NULL), '') AS currency,
    CASE
      WHEN max(is_charged_back) THEN 'charged-back'
      WHEN count(refunded) > 0 AND min(CASE
        WHEN paid IS NULL OR refunded = paid THEN 1
        WHEN refunded IS NULL THEN 0
        ELSE is_at_least(refunded, paid)
      END) THEN 'refunded'
      WHEN count(paid) > 0 THEN 'paid'
      ELSE 'unpaid'
    END AS status
  FROM money GROUP BY id
)
SELECT id,
  ours.line, ours.rows, ours.amount, ours.currency, ours.status,
  theirs.line AS report_line, theirs.rows AS report_rows, theirs.amount AS report_amount,
  theirs.currency AS report_currency, theirs.status AS report_status,
  CASE
    WHEN is_repeated THEN 'repeated'
    WHEN ours.id IS NULL THEN iif(has_payment, 'missing-in-orders', 'withoutPaymentInReportOnly')
    WHEN theirs.id IS NULL THEN iif(ours.status IS 'unpaid', 'unpaidInOrdersOnly', 'missing-in-report')
    ELSE coalesce(nullif(concat_ws(' ',
      -- Orders without a status are orders that somebody paid.
      iif(coalesce(ours.status <> theirs.status, theirs.status = 'unpaid'), 'status', NULL),
      iif(ours.amount <> theirs.amount, 'amount', NULL),
      iif(ours.currency <> theirs.currency, 'currency', NULL)), ''), 'agree')
  END AS outcome
FROM theirs FULL OUTER JOIN ours USING (id)`

/** Finds the orders whose differences contain a word. The empty word finds all. */
export const SELECT_DIFFERENCES = `
SELECT * FROM compared
WHERE outcome NOT IN ('agree', 'unpaidInOrdersOnly', 'withoutPaymentInReportOnly') AND instr(outcome, ?)
ORDER BY line IS NULL, line, report_line LIMIT ?`
