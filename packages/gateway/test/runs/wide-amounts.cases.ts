/** A list of amounts that is too large for any buffer on its way. */
export const WIDE_AMOUNTS = `identifier: wide-amounts
title: Wide amounts
description: For tests of readers who leave.
roles: [operator]
columns:
  - {name: Amount, kind: money, sql: amount, about: the amount}
  - {name: Currency, kind: text, sql: currency, about: its currency}
  - {name: Filling, kind: text, sql: "repeat('x', 4000)", about: for the test}
order: [merchant_id, created_at, transaction_id]
`
