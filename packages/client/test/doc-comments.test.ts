// Runs the `@example` blocks of the doc comments as a user would: against the package, by its name.

import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readDocExamples, runDocExample } from '../../signing/test/doc-examples.ts'
import * as library from '../src/index.ts'
import {
  ACCEPTED,
  apiUrlOf,
  CONTROL_KEY,
  LOGIN,
  sendAnswer,
  sendReport,
  startGateway,
} from './fixture-gateway.ts'

const EXAMPLES = readDocExamples(join(import.meta.dirname, '../src'))

// Inside the package, so that Node finds the package by its name.
const VAR = join(import.meta.dirname, '../var')

let folder = ''
beforeAll(async () => {
  await mkdir(VAR, { recursive: true })
  folder = await mkdtemp(join(VAR, 'doc-comments-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

test('every exported function has an example, and each shows a result', () => {
  const functions = Object.entries(library).flatMap(([name, value]) => {
    return typeof value === 'function' ? [name] : []
  })
  const names = EXAMPLES.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining([...functions, 'requestReport', 'saveReport']))
  for (const { source } of EXAMPLES) expect(source).toContain('// ')
})

test.each(EXAMPLES)('the example of $name runs', async (example) => {
  const gateway = await startGateway((response, { form }) => {
    return form ? sendAnswer(response, 200, ACCEPTED) : sendReport(response)
  })
  const { endpoint } = gateway
  const settings = { endpoint, apiUrl: apiUrlOf(gateway), login: LOGIN, controlKey: CONTROL_KEY }
  const prelude = `import { ${Object.keys(library).join(', ')} } from '@counterfoil/client'
const { endpoint, apiUrl, login, controlKey } = ${JSON.stringify(settings)}`
  await expect(runDocExample(example, { folder, prelude })).resolves.toBe(undefined)
})
