import { expect, test } from 'vitest'
import { OPERATIONS } from './operations.ts'
import { type FormPairs, type OperationFault, validateForm } from './validate-form.ts'

function faultsOf(pairs: FormPairs): readonly OperationFault[] {
  const result = validateForm(OPERATIONS.payout, pairs)
  return 'faults' in result ? result.faults : []
}

test('refuses a form of more than 200 pairs with one fault', () => {
  const pairs = (count: number) => Array.from({ length: count }, () => ['a', ''] as const)
  expect(faultsOf(pairs(200))).toHaveLength(200 + 4)
  expect(faultsOf(pairs(201))).toEqual([
    { error: 'unreadable-form', field: '', expected: 'expected at most 200 fields' },
  ])
})

const SIZE = 1024 * 1024

test.each<readonly [string, FormPairs]>([
  ['many pairs', Array.from({ length: SIZE / 2 }, (_, at) => [`a${at}`, ''] as const)],
  ['long names', Array.from({ length: 200 }, () => ['_'.repeat(SIZE / 200), ''] as const)],
  ['a long name', [['a1'.repeat(SIZE / 2), '']]],
  ...['\u0301\u0327', '9 ', ';', '4111.', '9'].flatMap((piece) => {
    const text = `a${piece.repeat(SIZE / piece.length)}`
    const names = OPERATIONS.payout.fields.map(({ name }) => name)
    return names.map((name) => [`${name} of ${piece}`, [[name, text]]] as const)
  }),
])('%s of 1 MiB take less than three seconds of CPU time', (_, pairs) => {
  const before = process.threadCpuUsage()
  const faults = faultsOf(pairs)
  const { user, system } = process.threadCpuUsage(before)
  expect((user + system) / 1e6).toBeLessThan(3)
  expect(faults).not.toEqual([])
  expect(JSON.stringify(faults).length).toBeLessThan(64 * 1024)
})
