// The examples of every report for every role. The short test sends every example of one role.

import { expect, test } from 'vitest'
import { ROLES } from '../../src/store/store.ts'
import { EVERY_REPORT } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'
import { readCatalogue, expectExamples } from './catalogue-examples.cases.ts'

const { gateway } = await serveSandbox([2000, EVERY_REPORT])

test.each(ROLES)('the catalogue of a %s has examples that are ready to send', async (role) => {
  const { reports } = await readCatalogue(gateway, role)
  expect(reports.length).toBeGreaterThan(1)
  await expectExamples(gateway, role, reports)
})
