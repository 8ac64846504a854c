// @module-tag long

import { expect, test } from 'vitest'
import { ask, LIST, parameters, problemIn } from '../kit/ask.ts'
import { readPdf } from '../../../formats/test/kit/read-pdf.ts'
import type { Login } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'
import { LIMITS } from '../../../common/src/limits.ts'
import { insertRows } from '../kit/ledger-rows.ts'

/** The maximum of the rows of a PDF. */
const ROWS_MAX = 200
const { sandbox, gateway } = await serveSandbox([6000], {
  formats: { pdf: { rowsMax: ROWS_MAX } },
})

/** Joins texts without their spaces. */
const joined = (texts: readonly string[]): string => texts.join('').replaceAll(/\s/g, '')

test('refuses a report of too many rows before the first byte', async () => {
  const request = { reportIdentifier: 'transactions-list', reportFormat: 'PDF' }
  const rows = async (login: Login): Promise<number> => {
    return Number((await ask(gateway, login, LIST)).trailers['counterfoil-rows'])
  }
  const { operator, merchant } = sandbox.logins
  expect(await rows(operator)).toBeGreaterThan(ROWS_MAX)
  const refused = await ask(gateway, operator, request)
  expect(refused.status).toBe(422)
  expect(problemIn(refused).errors).toEqual([
    {
      pointer: '/reportFormat',
      expected: `for PDF a report of at most ${ROWS_MAX} rows; CSV has no limit`,
    },
  ])
  expect((await ask(gateway, merchant, request)).status).toBe(200)
})

test('a text beyond the limit ends in a mark, and a text of exactly the limit is complete', async () => {
  const max = LIMITS.pdfTextLengthMax
  // A character of two UTF-16 units counts as one.
  const characters = Array.from('\u{1d11e}é'.repeat(15_000))
  await insertRows(
    gateway.engine,
    [max, max + 1, 15_000].map((length, index) => ({
      id: 9_223_372_036_854_771_000n + BigInt(index),
      createdAt: `2026-11-02 12:00:0${index}.000`,
      description: characters.slice(0, length).join(''),
    })),
  )
  const answer = await ask(gateway, sandbox.logins.operator, {
    reportIdentifier: 'transactions-list',
    ...parameters({ dateFrom: '2026-11-02', dateTo: '2026-11-03' }),
    outputReportParameters: ['Order_description'],
    reportFormat: 'PDF',
  })
  expect(answer.trailers['counterfoil-rows']).toBe('3')
  const { pages } = await readPdf(answer.bytes)
  const body = pages.flatMap(({ texts }) => texts.slice(0, -3))
  const shown = joined(body).replaceAll('Order_description', '')
  expect(shown.match(/é…\[cut\]/g)).toHaveLength(2)
  expect(shown.match(/é/g)).toHaveLength((3 * max) / 2)
})
