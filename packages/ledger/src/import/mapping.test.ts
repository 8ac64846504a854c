import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readMapping } from './mapping.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  file = join(folder, 'mapping.yaml')
})
afterEach(() => rmSync(folder, { recursive: true }))

function read(columns: string) {
  writeFileSync(file, `columns:\n  ${columns}\n`)
  return readMapping(file, 'transactions').columns
}

describe('a constant', () => {
  test.each([
    ['error_code: { constant: 1 }', '1'],
    ["gate_id: { constant: '1' }", '1'],
    ['amount: { constant: -12.5 }', '-12.5'],
    ['row_version: { constant: 123456789012345 }', '123456789012345'],
    ["transaction_id: { constant: '1234567890123456789' }", '1234567890123456789'],
    ["client_order_id: { constant: '007' }", '007'],
  ])('%s is the text %j', (columns, constant) => {
    expect(Object.values(read(columns))).toEqual([{ constant }])
  })

  test.each([
    [
      'row_version: { constant: 1234567890123456789 }',
      'expected a number of at most 15 digits, or a text in quotes',
    ],
    ['amount: { constant: 1e30 }', 'expected a number of at most 15 digits, or a text in quotes'],
    [
      'error_code: { constant: true }',
      'expected a number of at most 15 digits, or a text in quotes',
    ],
    [
      'client_order_id: { constant: 007 }',
      'expected a text; put a number in quotes, such as "007"',
    ],
    ['client_order_id: { constant: }', 'expected a text; put a number in quotes, such as "007"'],
  ])('refuses %s and names its line', (columns, expected) => {
    const [name] = columns.split(':')
    expect(() => read(columns)).toThrow(`${file}:2: columns.${name}.constant: ${expected}`)
  })
})

test.each(['gate_id: 1', 'gate_id: { constnat: 1 }', 'gate_id: [a]'])(
  'refuses %s, which is neither a column nor a constant',
  (columns) => {
    const expected = 'expected the name of a column of the files, or "constant" with a value'
    expect(() => read(columns)).toThrow(expected)
  },
)

test('refuses a column for card numbers by its name', () => {
  expect(() => read('phone: card_number')).toThrow(
    `${file}:2: columns.phone: expected no column for`,
  )
})
