import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { guessSource, lookAtFile } from './guess-source.ts'
import { parseSource } from './source.ts'

async function guess(name: string, text: string | Uint8Array): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, name), text)
  return guessSource(await lookAtFile(join(folder, name)))
}

test('guesses the columns, words, amounts and times of a settlement file', async () => {
  const rows = [
    'TxnId;Gross Amount;Curr;Type;Booked',
    '7;1.049,90;eur;SALE;31.10.2026 10:00',
    '8;-5,00;eur;Refund;31.10.2026 11:00',
  ]
  const source = await guess(
    'a.csv',
    Buffer.from(rows.join('\n').replace('Curr', 'Curr\u00e9'), 'latin1'),
  )
  const text = source.split('\n').filter((line) => !line.startsWith('-- #'))
  expect(text.slice(0, 10)).toEqual([
    '-- encoding: windows-1252',
    '-- delimiter: ";"',
    '-- days: DD.MM.YYYY',
    '-- timezone: UTC   # DECIDE: the zone of times without one',
    'SELECT',
    '  _line,',
    '  TxnId AS transaction_id,',
    '  -- DECIDE: check each word',
    "  transform(Type, ['SALE', 'Refund'], ['sale', 'refund'], Type) AS transaction_type,",
    '  -- DECIDE: every row is approved?',
  ])
  expect(source).toContain(
    "replaceOne(replaceAll(replaceOne(`Gross Amount`, '-', ''), '.', ''), ',', '.') AS amount,",
  )
  expect(source).toContain('  upper(`Curré`) AS currency,')
  expect(source).toContain(
    "  -- DECIDE: the merchant of every row\n  'merchant-1' AS merchant_id\n",
  )
  expect(parseSource(source, 'a.sql')).toMatchObject({ delimiter: ';', days: 'DD.MM.YYYY' })
})

test('guesses minor units, seconds since 1970 and nested members of JSON', async () => {
  const source = await guess(
    'a.jsonl',
    '{"id":"a","amount":1042,"currency":"eur","created":1790841600,"fee":3,"card":{"id":"x"}}\n',
  )
  expect(source).toContain("toDateTime(toUInt32OrNull(created), 'UTC') AS created_at,")
  expect(source).toContain('-- DECIDE: or amount, if it is in the major unit\n  minor(amount,')
  expect(source).toContain(
    'amount AS settlement_amount,\n  -- DECIDE: the currency of fees and net amounts\n  currency AS',
  )
})

test('finds the header of a file whose values hold the delimiter', async () => {
  const source = await guess(
    'a.csv',
    'Id,Amount,Currency,Note\nP1,1.00,EUR,"Smith, John, of York"\n',
  )
  expect(source).not.toContain('skipLines')
  expect(source).toContain('  Id AS transaction_id,')
})

test('refuses a file without columns', async () => {
  await expect(guess('a.csv', '\n')).rejects.toThrow('expected CSV with a header row, or JSON')
})
