import { INPUT_TYPES, type InputType } from '@counterfoil/protocol'
import { describe, expect, test } from 'vitest'
import { exampleValue, isUnreadable, readValue } from './parameters.ts'
import type { TemplateParameter } from './parameters.ts'

const CONTEXT = { timezone: 'Europe/Berlin', timezones: new Set(['UTC', 'Europe/Berlin']) }

function parameter(type: InputType, change: Partial<TemplateParameter> = {}): TemplateParameter {
  const allowed = type === 'INPUT_SELECT' ? ['a', 'b c'] : undefined
  const usual = { name: 'p', title: 'P', type, required: false, list: false }
  return { ...usual, ...(allowed && { allowed }), ...change }
}

function read(text: string, type: InputType, change?: Partial<TemplateParameter>) {
  const value = readValue(parameter(type, change), text, CONTEXT)
  return isUnreadable(value) ? undefined : value
}

describe('reads a value', () => {
  test.each<[InputType, string, string]>([
    ['INPUT_TEXT', ' any\n"text" ', ' any\n"text" '],
    ['INPUT_TEXT', '', ''],
    ['INPUT_DATE', '2026-01-31', '2026-01-30 23:00:00.000'],
    ['INPUT_DATETIME', '2026-07-31', '2026-07-30 22:00:00.000'],
    ['INPUT_DATETIME', '2026-07-31 10:00:00.5', '2026-07-31 08:00:00.500'],
    ['INPUT_NUMBER', '-12.50', '-12.50'],
    ['INPUT_NUMBER', '123456789012345678', '123456789012345678'],
    ['INPUT_SELECT', 'b c', 'b c'],
    ['INPUT_BOOLEAN', 'true', '1'],
    ['INPUT_BOOLEAN', 'false', '0'],
  ])('as %s from %j', (type, text, value) => {
    expect(read(text, type)).toBe(value)
  })

  test('as a list, with space around commas', () => {
    expect(read('b c, a ,a', 'INPUT_SELECT', { list: true })).toEqual(['b c', 'a', 'a'])
    expect(read('a', 'INPUT_SELECT', { list: true })).toEqual(['a'])
  })

  test('as a time zone that the engine and Node know', () => {
    expect(read('Europe/Berlin', 'INPUT_SELECT', { allowed: 'timezones' })).toBe('Europe/Berlin')
    expect(read('Europe/Atlantis', 'INPUT_SELECT', { allowed: 'timezones' })).toBeUndefined()
  })
})

describe('refuses a value', () => {
  test('of a list that has more than 4,000 characters', () => {
    const list = parameter('INPUT_TEXT', { list: true, lengthMax: 100_000 })
    const readList = (text: string) => readValue(list, text, CONTEXT)
    expect(readList(`a,${'x'.repeat(4000)},${'y'.repeat(4000)}`)).toHaveLength(3)
    expect(readList(`a,${'x'.repeat(99_990)}`)).toEqual({
      expected: 'at most 4000 characters in each value of the list',
    })
  })

  test.each<[InputType, string]>([
    ['INPUT_DATE', '2026-01-31 10:00'],
    ['INPUT_DATE', '2026-02-30'],
    ['INPUT_DATETIME', 'yesterday'],
    ['INPUT_NUMBER', '1e3'],
    ['INPUT_NUMBER', '0x10'],
    ['INPUT_NUMBER', ' 1'],
    ['INPUT_NUMBER', '1,5'],
    ['INPUT_NUMBER', 'NaN'],
    ['INPUT_NUMBER', ''],
    ['INPUT_SELECT', 'A'],
    ['INPUT_SELECT', ''],
    ['INPUT_SELECT', 'a,b c'],
    ['INPUT_BOOLEAN', 'TRUE'],
    ['INPUT_BOOLEAN', '1'],
    ['INPUT_BOOLEAN', 'constructor'],
  ])('as %s from %j', (type, text) => {
    expect(read(text, type)).toBeUndefined()
  })

  test('of a list with a wrong element, and a text that is too long', () => {
    expect(read('a,', 'INPUT_SELECT', { list: true })).toBeUndefined()
    expect(read('', 'INPUT_SELECT', { list: true })).toBeUndefined()
    expect(read('x'.repeat(4000), 'INPUT_TEXT')).toHaveLength(4000)
    expect(read('x'.repeat(4001), 'INPUT_TEXT')).toBeUndefined()
    expect(read('xxx', 'INPUT_TEXT', { lengthMax: 2 })).toBeUndefined()
  })
})

test.each(INPUT_TYPES)('the example of %s is valid, and an error says what is expected', (type) => {
  expect(read(exampleValue(parameter(type)), type)).toBeDefined()
  const wrong = readValue(parameter(type, { lengthMax: 1 }), '??', CONTEXT)
  expect(wrong).toEqual({ expected: 'at most 1 characters' })
})
