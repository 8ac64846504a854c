// @module-tag long

import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { useScratchLedger } from '../../../gateway/test/kit/scratch-ledger.ts'
import { isIdColumn, TRANSACTION_COLUMNS } from '../../../ledger/src/model/model.ts'
import { readRows } from '@counterfoil/engine'
import { passesLuhn } from '../../../protocol/src/payments/card-numbers.ts'
import { CLOCK_CHANGE_DAYS, FIRST_DAY_NUMBER } from './calendar.ts'
import { generateLedger } from './generate-ledger.ts'
import { HARD_TEXTS } from './hard-texts.ts'

const ROWS = 100_001

const scratch = await useScratchLedger()
beforeAll(async () => {
  await generateLedger(scratch.engine, { rows: ROWS, seed: 2 })
})

/** A transaction beside the transaction that it refers to. */
const PAIRS = `transactions AS later JOIN transactions AS first ON first.transaction_id = later.original_transaction_id`

/** The stages of each complaint in their order, and whether they move money. */
const COMPLAINTS = `(SELECT arraySort(groupArray((created_at, transaction_id, ifNull(dispute_stage, ''),
    isNotNull(net_amount)))) AS events,
  events.3 AS stages, events.4 AS moves, uniqExact(reason_code) AS reasons
  FROM transactions WHERE transaction_type IN ('chargeback', 'dispute') GROUP BY original_transaction_id)`

/** The amounts, and the scale of their currencies. */
const MONEY = `(SELECT *, ${scale('currency', 'own')}, ${scale('settlement_currency', 'settled')} FROM transactions)`

function scale(currency: string, as: string): string {
  return `transform(ifNull(${currency}, ''), (SELECT groupArray(currency) FROM currencies),
    (SELECT groupArray(toInt64(pow(10, exponent))) FROM currencies), 0) AS pow10_${as}`
}

const COLUMNS = Object.entries(TRANSACTION_COLUMNS)

/** What no ledger has: by the tables, the name and the count of each fault. */
const FAULTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  transactions: {
    'outside the 34 months': `countIf(created_at >= '2026-11-01') + (min(created_at) >= '2024-01-02')`,
    'unfinished before the last two days': `countIf(status = 'processing' AND created_at < '2026-10-30')`,
    'all finished': `countIf(status = 'processing') = 0`,
    'processed before its creation': `countIf(processed_at <= created_at OR updated_at < created_at)`,
    'day without its first instant': `1035 - uniqExactIf(toDate(created_at), created_at = toStartOfDay(created_at))`,
    'day without its last instant': `1035 - uniqExactIf(toDate(created_at),
      toStartOfDay(created_at) + INTERVAL 86399999 MILLISECOND = created_at)`,
    'no leap day': `countIf(toDate(created_at) = '2024-02-29') = 0`,
    'no transaction on both sides of a clock change': CLOCK_CHANGE_DAYS.map(({ day, hour }) => {
      const seconds = (FIRST_DAY_NUMBER + day) * 86_400 + hour * 3600
      const at = `created_at - toDateTime64(${seconds}, 3, 'UTC')`
      return `(countIf(${at} = 1800) = 0 OR countIf(${at} = -1800) = 0)`
    }).join(' + '),
    'torn settlement': `countIf(isNotNull(bank_date) != isNotNull(settled_at) OR isNotNull(bank_date) != isNotNull(statement_id)
      OR isNotNull(bank_date) AND isNull(net_amount))`,
    'settled on a weekend':
      'countIf(toDayOfWeek(bank_date) > 5 OR toDayOfWeek(reserve_release) > 5)',
    'settled on another day than the next business day': `countIf(dateDiff('day', created_at, bank_date) NOT IN (1, 2, 3)
      OR toDate(settled_at) != bank_date)`,
    'approved and not settled': `countIf(isNull(net_amount) AND status = 'approved'
      AND ifNull(dispute_stage, 'first') = 'first'
      AND transaction_type IN ('sale', 'capture', 'reversal', 'chargeback', 'payout', 'transfer'))`,
    'settled and not approved': `countIf(isNotNull(net_amount) AND status != 'approved')`,
    'settled late': `countIf(isNull(bank_date) AND isNotNull(net_amount) AND created_at < '2026-10-30')`,
    'reference that is missing or unknown': `countIf(transaction_type IN ('reversal', 'chargeback', 'dispute', 'retrieval',
        'fraud', 'capture', 'cancel') AND isNull(original_transaction_id)) + countIf(isNotNull(original_transaction_id)
      AND original_transaction_id NOT IN (SELECT transaction_id FROM transactions))`,
    'real address, e-mail, telephone or card': String.raw`countIf(
      NOT match(ip, '^(192\\.0\\.2\\.|198\\.51\\.100\\.|203\\.0\\.113\\.|2001:db8::)[0-9]+$')
      OR email NOT LIKE '%@example.com' OR ifNull(phone, '+44 20 7946 0') NOT LIKE '+44 20 7946 0%'
      OR length(bin) != 6 OR length(last4) != 4 OR bin NOT LIKE '9%')`,
  },
  [PAIRS]: {
    'not later than its first': `countIf(later.created_at < first.created_at OR later.transaction_id <= first.transaction_id)`,
    'another order': `countIf(later.transaction_type != 'sale' AND (later.order_id != first.order_id
      OR later.client_order_id != first.client_order_id))`,
    ...Object.fromEntries(
      ['merchant_id', 'project_id', 'endpoint_id', 'currency', 'last4', 'email'].map((column) => [
        `another ${column}`,
        `countIf(later.${column} IS DISTINCT FROM first.${column})`,
      ]),
    ),
  },
  [COMPLAINTS]: {
    'odd order of stages': `countIf(stages NOT IN (['first'], ['first', 'second'], ['first', 'second', 'arbitration'],
      ['represented', 'won'], ['represented', 'lost']))`,
    'money moved by another stage than the first': `countIf(moves != arrayMap(stage -> stage = 'first', stages))`,
    'several reasons of one complaint': 'countIf(reasons > 1)',
  },
  [MONEY]: Object.fromEntries(
    COLUMNS.filter(([, column]) => 'moneyIn' in column).map(([name]) => {
      const power = `pow10_${name === 'amount' ? 'own' : 'settled'}`
      return [`digits of ${name}`, `countIf(${name} * ${power} != truncate(${name} * ${power}))`]
    }),
  ),
}

test.each(Object.entries(FAULTS))('no row of a ledger has a fault: %s', async (from, faults) => {
  const columns = Object.entries(faults).map(([name, sql]) => `toInt64(${sql}) AS "${name}"`)
  const counts = z.record(z.string(), z.coerce.number())
  const sql = `SELECT ${columns.join(', ')} FROM ${from}`
  const [found] = await readRows(scratch.engine, counts, sql)
  expect(found).toEqual(Object.fromEntries(Object.keys(faults).map((name) => [name, 0])))
})

test('a transaction refers to one of the right type and status', async () => {
  const row = z.object({ later: z.string(), type: z.string(), status: z.string() })
  const sql = `SELECT DISTINCT later.transaction_type AS later, first.transaction_type AS type, first.status AS status
    FROM ${PAIRS} ORDER BY later`
  const rows = await readRows(scratch.engine, row, sql)
  expect(rows.map(({ later, type, status }) => `${later} of ${type} ${status}`)).toEqual([
    'cancel of preauth approved',
    'capture of preauth approved',
    'chargeback of sale approved',
    'dispute of sale approved',
    'fraud of sale approved',
    'retrieval of sale approved',
    'reversal of sale approved',
    'sale of sale declined',
  ])
})

describe('texts', () => {
  test('that are hard to write all appear', async () => {
    const rows = await readRows(scratch.engine, z.object({ text: z.string().nullable() }), {
      sql: "SELECT DISTINCT order_description AS text FROM transactions WHERE ifNull(order_description, '') NOT LIKE '%, paid online'",
    })
    expect(new Set(rows.map(({ text }) => text))).toEqual(new Set(HARD_TEXTS))
    expect(HARD_TEXTS.map((text) => text?.length)).toContain(2000)
  })

  test('contain nothing that could be a card number', async () => {
    const names = COLUMNS.filter(([name, { type }]) => type.includes('String') && !isIdColumn(name))
    const texts = names.map(([name]) => `ifNull(toString(${name}), '')`)
    const rows = await readRows(scratch.engine, z.object({ text: z.string() }), {
      sql: `SELECT DISTINCT arrayJoin([${texts.join(', ')}]) AS text
      FROM transactions WHERE match(text, '[0-9]{13}')`,
    })
    // There are numbers of that length, but none with a card's check digit.
    const runs = rows.flatMap(({ text }) => text.match(/(?<!\d)\d{13,19}(?!\d)/g) ?? [])
    expect(runs.length).toBeGreaterThan(0)
    expect(runs.filter((digits) => passesLuhn(digits))).toEqual([])
  })
})
