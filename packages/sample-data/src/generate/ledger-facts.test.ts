// @module-tag long

import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { useScratchLedger } from '../../../gateway/test/kit/scratch-ledger.ts'
import { isIdColumn, TRANSACTION_COLUMNS } from '../../../ledger/src/model/model.ts'
import { readRows } from '@counterfoil/engine'
import { passesLuhn } from '../../../protocol/src/payments/card-numbers.ts'
import { generateLedger } from './generate-ledger.ts'
import { HARD_TEXTS } from './hard-texts.ts'

const ROWS = 100_001

const scratch = await useScratchLedger()
beforeAll(async () => {
  await generateLedger(scratch.engine, { rows: ROWS, seed: 2 })
})

const record = z.record(z.string(), z.coerce.number())

/** Returns a query's first row, with only numbers. */
async function numbers(sql: string): Promise<Readonly<Record<string, number>>> {
  const [row] = await readRows(scratch.engine, record, { sql, parameters: {} })
  return row ?? {}
}

/** A transaction beside the transaction that it refers to. */
const PAIRS = `transactions AS later JOIN transactions AS first ON first.transaction_id = later.original_transaction_id`

describe('a transaction that refers to another', () => {
  test('refers to an earlier one of the right type and status', async () => {
    const needs = {
      reversal: ['sale', 'approved'],
      chargeback: ['sale', 'approved'],
      dispute: ['sale', 'approved'],
      retrieval: ['sale', 'approved'],
      fraud: ['sale', 'approved'],
      capture: ['preauth', 'approved'],
      cancel: ['preauth', 'approved'],
      sale: ['sale', 'declined'],
    }
    const rows = await readRows(
      scratch.engine,
      z.object({
        later: z.string(),
        type: z.string(),
        status: z.string(),
        early: z.coerce.number(),
      }),
      {
        sql: `SELECT later.transaction_type AS later, first.transaction_type AS type, first.status AS status,
        countIf(later.created_at < first.created_at OR later.transaction_id <= first.transaction_id) AS early
        FROM ${PAIRS} GROUP BY later, type, status`,
        parameters: {},
      },
    )
    const pairs = rows.map(({ later, type, status }) => [later, [type, status]])
    expect(Object.fromEntries(pairs)).toEqual(needs)
    expect(rows).toHaveLength(Object.keys(needs).length)
    expect(rows.map(({ early }) => early)).toEqual(rows.map(() => 0))
    const { lost } =
      await numbers(`SELECT countIf(transaction_type IN ('reversal', 'chargeback', 'dispute', 'retrieval',
      'fraud', 'capture', 'cancel') AND isNull(original_transaction_id)) + countIf(isNotNull(original_transaction_id)
      AND original_transaction_id NOT IN (SELECT transaction_id FROM transactions)) AS lost FROM transactions`)
    expect(lost).toBe(0)
  })

  test('has the same card, shop and order', async () => {
    const same = ['merchant_id', 'project_id', 'endpoint_id', 'currency', 'last4', 'email']
    const others = same.map(
      (column) => `countIf(later.${column} IS DISTINCT FROM first.${column}) AS ${column}`,
    )
    const order = `countIf(later.transaction_type != 'sale' AND (later.order_id != first.order_id
      OR later.client_order_id != first.client_order_id)) AS orders`
    const counts = await numbers(`SELECT ${[...others, order].join(', ')} FROM ${PAIRS}`)
    expect(Object.values(counts)).toEqual(Object.values(counts).map(() => 0))
    expect(Object.keys(counts)).toHaveLength(same.length + 1)
  })
})

describe('times', () => {
  test('are within the 34 months, and only the last two days have unfinished transactions', async () => {
    const facts =
      await numbers(`SELECT min(created_at) < '2024-01-02' AND max(created_at) < '2026-11-01' AS inside,
      countIf(status = 'processing') AS running, countIf(status = 'processing' AND created_at < '2026-10-30') AS early,
      countIf(processed_at <= created_at OR updated_at < created_at) AS wrong FROM transactions`)
    expect(facts).toMatchObject({ inside: 1, early: 0, wrong: 0 })
    expect(facts['running']).toBeGreaterThan(0)
  })

  test('include the first and last instant of each day, the leap day, and both sides of every clock change', async () => {
    const changes = [
      '2024-03-31 01',
      '2024-10-27 01',
      '2025-03-30 01',
      '2025-10-26 01',
      '2026-03-29 01',
      '2026-10-25 01',
    ]
    const american = [
      '2024-03-10 07',
      '2024-11-03 06',
      '2025-03-09 07',
      '2025-11-02 06',
      '2026-03-08 07',
    ]
    const around = [...changes, ...american].map((hour) => {
      const at = `created_at - toDateTime64('${hour}:00:00', 3, 'UTC')`
      return `countIf(${at} = 1800) > 0 AND countIf(${at} = -1800) > 0`
    })
    const facts = await numbers(`SELECT ${around.join(' AND ')} AS clocks,
      uniqExactIf(toDate(created_at), created_at = toStartOfDay(created_at)) AS first,
      uniqExactIf(toDate(created_at), toStartOfDay(created_at) + INTERVAL 86399999 MILLISECOND = created_at) AS last,
      countIf(toDate(created_at) = '2024-02-29') > 0 AS leap FROM transactions`)
    expect(facts).toEqual({ clocks: 1, first: 1035, last: 1035, leap: 1 })
  })

  test('of settlements are on the next business day', async () => {
    const facts = await numbers(`SELECT
      countIf(isNotNull(bank_date) != isNotNull(settled_at) OR isNotNull(bank_date) != isNotNull(statement_id)
        OR isNotNull(bank_date) AND isNull(net_amount)) AS torn,
      countIf(toDayOfWeek(bank_date) > 5 OR toDayOfWeek(reserve_release) > 5) AS weekends,
      countIf(dateDiff('day', created_at, bank_date) NOT IN (1, 2, 3) OR toDate(settled_at) != bank_date) AS odd,
      countIf(isNull(net_amount) AND status = 'approved' AND ifNull(dispute_stage, 'first') = 'first'
        AND transaction_type IN ('sale', 'capture', 'reversal', 'chargeback', 'payout', 'transfer')) AS missing,
      countIf(isNotNull(net_amount) AND status != 'approved') AS wrong,
      countIf(isNull(bank_date) AND isNotNull(net_amount) AND created_at < '2026-10-30') AS late FROM transactions`)
    expect(facts).toEqual({ torn: 0, weekends: 0, odd: 0, missing: 0, wrong: 0, late: 0 })
  })
})

describe('money', () => {
  test('has no more digits than its currency, also in fees', async () => {
    const { amount: _, ...settled } = Object.fromEntries(
      Object.entries(TRANSACTION_COLUMNS).filter(([, column]) => 'moneyIn' in column),
    )
    const over = (column: string, exponent: string) => {
      return `countIf(${column} * pow10_${exponent} != truncate(${column} * pow10_${exponent})) AS ${column}`
    }
    const checks = [
      over('amount', 'own'),
      ...Object.keys(settled).map((column) => over(column, 'settled')),
    ]
    const scale = (currency: string, as: string) => {
      return `transform(ifNull(${currency}, ''), (SELECT groupArray(currency) FROM currencies),
        (SELECT groupArray(toInt64(pow(10, exponent))) FROM currencies), 0) AS pow10_${as}`
    }
    const counts =
      await numbers(`SELECT ${checks.join(', ')} FROM (SELECT *, ${scale('currency', 'own')},
      ${scale('settlement_currency', 'settled')} FROM transactions)`)
    expect(Object.keys(counts)).toHaveLength(10)
    expect(Object.values(counts)).toEqual(Object.values(counts).map(() => 0))
    const { most } = await numbers('SELECT max(exponent) AS most FROM currencies')
    expect(most).toBe(3)
  })
})

describe('texts', () => {
  test('that are hard to write all appear', async () => {
    const rows = await readRows(scratch.engine, z.object({ text: z.string().nullable() }), {
      sql: "SELECT DISTINCT order_description AS text FROM transactions WHERE ifNull(order_description, '') NOT LIKE '%, paid online'",
      parameters: {},
    })
    expect(new Set(rows.map(({ text }) => text))).toEqual(new Set(HARD_TEXTS))
    expect(HARD_TEXTS.map((text) => text?.length)).toContain(2000)
  })

  test('contain nothing that could be a card number', async () => {
    const names = Object.entries(TRANSACTION_COLUMNS)
      .filter(([name, { type }]) => type.includes('String') && !isIdColumn(name))
      .map(([name]) => name)
    const rows = await readRows(scratch.engine, z.object({ text: z.string() }), {
      sql: `SELECT DISTINCT arrayJoin([${names.map((name) => `ifNull(toString(${name}), '')`).join(', ')}]) AS text
      FROM transactions WHERE match(text, '[0-9]{13}')`,
      parameters: {},
    })
    // There are numbers of that length, but none with a card's check digit.
    const runs = rows.flatMap(({ text }) => text.match(/(?<!\d)\d{13,19}(?!\d)/g) ?? [])
    expect(runs.length).toBeGreaterThan(0)
    expect(runs.filter((digits) => passesLuhn(digits))).toEqual([])
  })

  test('contain no real address, e-mail or telephone number', async () => {
    const { wrong } = await numbers(String.raw`SELECT countIf(
      NOT match(ip, '^(192\\.0\\.2\\.|198\\.51\\.100\\.|203\\.0\\.113\\.|2001:db8::)[0-9]+$')
      OR email NOT LIKE '%@example.com' OR ifNull(phone, '+44 20 7946 0') NOT LIKE '+44 20 7946 0%'
      OR length(bin) != 6 OR length(last4) != 4 OR bin NOT LIKE '9%') AS wrong FROM transactions`)
    expect(wrong).toBe(0)
  })
})

test('a stage of a complaint follows the earlier stages, and only a first chargeback moves money', async () => {
  const facts = await numbers(`SELECT countIf(stages NOT IN (['first'], ['first', 'second'],
    ['first', 'second', 'arbitration'], ['represented', 'won'], ['represented', 'lost'])) AS odd,
    countIf(moves != arrayMap(stage -> stage = 'first', stages)) AS unpaid, countIf(reasons > 1) AS torn
    FROM (SELECT arraySort(groupArray((created_at, transaction_id, ifNull(dispute_stage, ''),
        isNotNull(net_amount)))) AS events,
      events.3 AS stages, events.4 AS moves, uniqExact(reason_code) AS reasons
      FROM transactions WHERE transaction_type IN ('chargeback', 'dispute') GROUP BY original_transaction_id)`)
  expect(facts).toEqual({ odd: 0, unpaid: 0, torn: 0 })
})
