import type { InputParameter } from '@counterfoil/protocol'
import { describe, expect, test } from 'vitest'
import { GatewayError } from '../../../common/src/errors.ts'
import type { Role } from '../../../common/src/roles.ts'
import { templateSchema } from '../../../templates/src/template/template.ts'
import { chooseColumns } from './content.ts'

const column = (name: string, change: object = {}) => {
  return { name, about: 'x', kind: 'text', sql: name.toLowerCase(), ...change }
}
const TEMPLATE = templateSchema.parse({
  identifier: 'list',
  title: 'List',
  description: 'For tests.',
  roles: ['operator', 'merchant'],
  formats: ['CSV'],
  columns: [
    column('One'),
    column('Hidden', { roles: ['operator'] }),
    column('Two'),
    column('Wanted', { optional: true }),
    column('Sum', { optional: true, kind: 'money' }),
  ],
  order: ['one'],
  totals: { by: ['Two', 'Wanted'], columns: ['Sum'] },
})

type Element = InputParameter | string

const titled = (name: string, value: string): InputParameter => {
  return { type: 'INPUT_TEXT', name, value }
}

/** Returns the chosen columns with their titles. */
function choose(elements: readonly Element[], role: Role = 'merchant') {
  return chooseColumns(TEMPLATE, elements, role).map(({ column: { name }, title }) => [name, title])
}

function faultsOf(elements: readonly Element[], role: Role = 'merchant'): readonly string[] {
  try {
    choose(elements, role)
    return []
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'invalid-parameter') throw error
    return error.faults.map(({ pointer, expected }) => `${pointer}: ${expected}`)
  }
}

describe('columns', () => {
  test('are all columns of the role that are not optional, if the request names none', () => {
    expect(choose([])).toEqual([
      ['One', 'One'],
      ['Two', 'Two'],
    ])
    expect(choose([], 'operator').map(([name]) => name)).toEqual(['One', 'Hidden', 'Two'])
  })

  test('of a document are also the optional columns that separate its totals', () => {
    const chosen = chooseColumns(TEMPLATE, [], 'merchant', { isDocument: true })
    expect(chosen.map(({ title }) => title)).toEqual(['One', 'Two', 'Wanted'])
    const named = chooseColumns(TEMPLATE, ['One'], 'merchant', { isDocument: true })
    expect(named.map(({ title }) => title)).toEqual(['One'])
  })

  test('have the order of the request, named by strings or by objects', () => {
    const elements = [titled('Wanted', ''), 'Two', titled('One', 'First')]
    expect(choose(elements)).toEqual([
      ['Wanted', 'Wanted'],
      ['Two', 'Two'],
      ['One', 'First'],
    ])
  })

  test('that do not exist or are not for this role get the same error', () => {
    const expected = "one of this report's columns: One, Two, Wanted, Sum"
    expect(faultsOf(['None', titled('Hidden', 'x'), 'one'])).toEqual([
      `/outputReportParameters/0: ${expected}`,
      `/outputReportParameters/1/name: ${expected}`,
      `/outputReportParameters/2: ${expected}`,
    ])
    const [fault] = faultsOf(['None'], 'operator')
    expect(fault).toContain('One, Hidden, Two, Wanted, Sum')
  })

  test('may occur once', () => {
    expect(faultsOf(['One', 'Two', titled('One', 'Other')])).toEqual([
      '/outputReportParameters/2: One once',
    ])
  })
})

test.each([
  ['a\nb', '/value: a title of 1 to 100 characters, without control characters'],
  ['\ud800', '/value: a title of 1 to 100 characters, without control characters'],
  ['x'.repeat(101), '/value: a title of 1 to 100 characters, without control characters'],
  ['4111 1111 1111 1111', '/value: a title without a card number'],
  ['Two', ': a unique title, got Two again'],
])('refuses the title %j', (title, expected) => {
  expect(faultsOf(['Two', titled('One', title)])).toEqual([`/outputReportParameters/1${expected}`])
})
