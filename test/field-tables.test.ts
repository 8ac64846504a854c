import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fieldTables } from '../scripts/field-tables.ts'

test('the fields in docs/sandbox.md match their declarations (else: npm run docs:fields)', () => {
  const { written, made } = fieldTables(join(import.meta.dirname, '..'))
  expect(written).toBe(made)
})
