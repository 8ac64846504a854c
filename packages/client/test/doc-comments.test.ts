// @module-tag long

// Runs the `@example` blocks of the doc comments and the example of docs/client.md as a user would: against the
// package, by its name.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  type DocExample,
  readDocExamples,
  runDocExamples,
} from '../../signing/test/doc-examples.ts'
import * as library from '../src/index.ts'
import { Payments } from '../src/operations/payments.ts'
import {
  acceptedOf,
  apiUrlOf,
  CONTROL_KEY,
  CSV_ROWS,
  type FixtureGateway,
  type Handler,
  LOGIN,
  sendAnswer,
  sendRecords,
  sendReport,
  startGateway,
} from './fixture-gateway.ts'

const root = join(import.meta.dirname, '..')
const EXAMPLES = readDocExamples(join(root, 'src'))

test('every exported function has an example, and each shows a result', () => {
  const functions = Object.entries(library).flatMap(([name, value]) => {
    const isError = typeof value === 'function' && value.prototype instanceof Error
    return typeof value === 'function' && !isError ? [name] : []
  })
  const methods = [...methodsOf(library.CounterfoilClient), ...methodsOf(Payments)]
  const names = EXAMPLES.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining([...functions, ...methods, 'CounterfoilError']))
  for (const { source } of EXAMPLES) expect(source).toContain('// ')
})

test('every example runs', async () => {
  const answer: Handler = (response, { form, path, request }) => {
    if (form) return sendAnswer(response, 200, acceptedOf(path))
    if (request?.reportFormat !== 'JSONL') return sendReport(response)
    const lines = ['1', '2', '3'].map((Id) => `${JSON.stringify({ Id })}\n`).join('')
    return sendReport(response, lines, { contentType: 'application/x-ndjson' })
  }
  const gateway = await startGateway(answer, undefined, sendRecords)
  await expect(run(EXAMPLES, gateway)).resolves.toBe(undefined)
})

test('the example of docs/client.md saves the report of its period', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../docs/client.md'), 'utf8')
  const [, block = ''] =
    /^```ts\nimport { CounterfoilClient } from '@counterfoil\/client'\n\n(.*?)^```$/ms.exec(page) ??
    []
  const gateway = await startGateway((response) => sendReport(response))
  const source = `${block}file // 'may.csv'\nrows // ${CSV_ROWS}\n`
  await expect(run([{ name: 'client-page', source }], gateway)).resolves.toBe(undefined)
  expect(gateway.received[0]?.request?.inputReportParameters).toMatchObject([
    { name: 'dateFrom', value: '2026-05-01' },
    { name: 'dateTo', value: '2026-06-01' },
    { name: 'timezone', value: 'Europe/Riga' },
  ])
})

function methodsOf({ prototype }: { readonly prototype: object }): readonly string[] {
  return Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor')
}

/** Runs examples with the library and with the address and credentials of `gateway`. */
async function run(examples: readonly DocExample[], gateway: FixtureGateway): Promise<void> {
  const { endpoint } = gateway
  const settings = { endpoint, apiUrl: apiUrlOf(gateway), login: LOGIN, controlKey: CONTROL_KEY }
  const prelude = `import { ${Object.keys(library).join(', ')} } from '@counterfoil/client'
const { endpoint, apiUrl, login, controlKey } = ${JSON.stringify(settings)}`
  await runDocExamples(examples, { root, prelude })
}
