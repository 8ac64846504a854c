import type { InputParameter } from '@counterfoil/protocol'
import { expect, test } from 'vitest'
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
function choose(elements: readonly Element[], role: Role = 'merchant', isDocument = false) {
  const chosen = chooseColumns(TEMPLATE, elements, role, { isDocument })
  return chosen.map(({ column: { name }, title }) => (name === title ? name : [name, title]))
}

test.each<readonly [string, readonly Element[], Role, isDocument: boolean, chosen: unknown]>([
  ['all of the role that are not optional', [], 'merchant', false, ['One', 'Two']],
  ['all of another role', [], 'operator', false, ['One', 'Hidden', 'Two']],
  ['those that separate the totals of a document', [], 'merchant', true, ['One', 'Two', 'Wanted']],
  ['those that a request for a document names', ['One'], 'merchant', true, ['One']],
  [
    'those that a request names, in its order',
    [titled('Wanted', ''), 'Two', titled('One', 'First')],
    'merchant',
    false,
    ['Wanted', 'Two', ['One', 'First']],
  ],
])('chooses %s', (_, elements, role, isDocument, chosen) => {
  expect(choose(elements, role, isDocument)).toEqual(chosen)
})

const KNOWN = "one of this report's columns: One, Two, Wanted, Sum"
const TITLE = 'a title of 1 to 100 characters, without control characters'

test.each<readonly [elements: readonly Element[], faults: readonly string[]]>([
  // A column that does not exist and one that is not for this role get the same error.
  [
    ['None', titled('Hidden', 'x'), 'one'],
    ['0', '1/name', '2'].map((at) => `/outputReportParameters/${at}: ${KNOWN}`),
  ],
  [['One', 'Two', titled('One', 'Other')], ['/outputReportParameters/2: One once']],
  ...['a\nb', '\ud800', 'x'.repeat(101)].map((title) => {
    return [['Two', titled('One', title)], [`/outputReportParameters/1/value: ${TITLE}`]] as const
  }),
  [
    ['Two', titled('One', '4111 1111 1111 1111')],
    ['/outputReportParameters/1/value: a title without a card number'],
  ],
  [['Two', titled('One', 'Two')], ['/outputReportParameters/1: a unique title, got Two again']],
])('refuses the columns %j', (elements, faults) => {
  const expected = faults.map((fault) => {
    const [pointer, ...rest] = fault.split(': ')
    return { pointer, expected: rest.join(': ') }
  })
  const error = { code: 'invalid-parameter', faults: expected }
  expect(() => choose(elements)).toThrow(expect.objectContaining(error))
})
