import { expect, test } from 'vitest'
import { formBytesMax, OPERATION_ERRORS, operationPath, spellingsOf } from './operation.ts'
import { OPERATIONS } from './operations.ts'
import type { OperationFault } from './validate-form.ts'
import { errorResponse, faultsResponse } from './answers.ts'

test.each(Object.entries(OPERATIONS))(
  'the declaration of %s is consistent',
  (name, { fields, choices, ...rest }) => {
    expect(rest.name).toBe(name)
    const spellings = fields.flatMap(spellingsOf)
    expect(new Set(spellings).size).toBe(spellings.length)
    const names = fields.filter((field) => !field.required).map((field) => field.name)
    for (const { field, requires = [], allows = [] } of choices.flatMap((c) => c.alternatives)) {
      expect(names).toEqual(expect.arrayContaining([field, ...requires, ...allows]))
    }
  },
)

test('returns the path of an operation', () => {
  expect(operationPath(OPERATIONS['pan-eligibility'], '1144')).toBe(
    '/api/v2/pan-eligibility/send/1144',
  )
  expect(operationPath(OPERATIONS.transfer, '1144')).toBe('/api/v4/transfer/1144')
})

test.each(Object.values(OPERATIONS))(
  'formBytesMax leaves room for the longest values of $name',
  (operation) => {
    const longest = operation.fields.map(({ name, lengthMax }) => {
      return `${name}=${encodeURIComponent('😀'.repeat(lengthMax))}`
    })
    expect(formBytesMax(operation)).toBeGreaterThanOrEqual(longest.join('&').length + 4_000)
    expect(formBytesMax(operation)).toBeLessThan(100 * 1024)
  },
)

test('gives every error its own code, and every validation error status 422', () => {
  const kinds = Object.values(OPERATION_ERRORS)
  expect(new Set(kinds.map(({ code }) => code)).size).toBe(kinds.length)
  for (const { type, status } of kinds) expect(status === 422).toBe(type === 'validation-error')
})

test('writes an error with its code and what was expected', () => {
  expect(errorResponse('order-id-taken', 'expected another one', 'serial-1')).toEqual({
    type: 'validation-error',
    'serial-number': 'serial-1',
    'error-code': '114',
    'error-message': 'You have used the client order id with other fields. expected another one',
  })
  expect(errorResponse('internal-error', '', 'serial-1')).toMatchObject({
    type: 'error',
    'error-message': 'The gateway failed',
  })
})

test('joins faults to one error: the code of the first, and the texts of 20', () => {
  const first: OperationFault = { error: 'missing-field', field: '', expected: 'expected a card' }
  const other: OperationFault = { error: 'field-value', field: 'amount', expected: 'expected less' }
  expect(faultsResponse([first, other], 'serial-1')).toMatchObject({
    'error-code': '104',
    'error-message': 'A field is missing. expected a card; amount: expected less',
  })
  const message = faultsResponse([first, ...Array.from({ length: 21 }, () => other)], 'serial-1')
  expect(message['error-message'].match(/amount:/g)).toHaveLength(19)
  expect(message['error-message']).toMatch(/; and 2 more$/)
})
