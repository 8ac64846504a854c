import { expect, test } from 'vitest'
import { countFaults, describeFaults } from './describe-faults.ts'
import { reportRequestSchema } from './report-request.ts'

const COUNT = 10_000

test.each([
  ['unknown members', Object.fromEntries(Array.from({ length: COUNT }, (_, at) => [`x${at}`, 1]))],
  [
    'ids',
    { reportIdentifier: 'list', filters: { gates: Array.from({ length: COUNT }, () => '') } },
  ],
])('describes only the first of 10,000 faulty %s, and counts all', (_, json) => {
  const masked: string[] = []
  const mask = (name: string) => {
    masked.push(name)
    return name
  }
  const issues = reportRequestSchema.safeParse(json).error?.issues ?? []
  const faults = describeFaults(issues, json, { mask, max: 100 })
  expect(faults).toHaveLength(100)
  const steps = faults.reduce((sum, { pointer }) => sum + pointer.split('/').length - 1, 0)
  expect(masked).toHaveLength(steps)
  expect(countFaults(issues)).toBeGreaterThanOrEqual(COUNT)
})
