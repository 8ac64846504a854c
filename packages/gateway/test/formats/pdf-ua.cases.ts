import { expect, test } from 'vitest'
import { ask, parameters } from '../kit/ask.ts'
import { checkPdfUa } from '../kit/pdf-ua/check-pdf-ua.ts'
import { readPdf } from '../kit/read-pdf.ts'
import { EVERY_REPORT } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

export const OCTOBER = parameters({ dateFrom: '2026-10-01', dateTo: '2026-11-01' })

const served = await serveSandbox([2000, EVERY_REPORT])
export const { gateway } = served

/** Asks for a PDF, and returns its faults and the number of its pages. */
export async function checkReport(request: {
  readonly reportIdentifier: string
}): Promise<{ readonly faults: readonly string[]; readonly pages: number }> {
  const { merchant, operator } = served.sandbox.logins
  const login = request.reportIdentifier === 'order-reconciliation' ? merchant : operator
  const { status, bytes } = await ask(gateway, login, { ...request, reportFormat: 'PDF' })
  expect(status).toBe(200)
  return { faults: checkPdfUa(bytes), pages: (await readPdf(bytes)).pages.length }
}

/** Checks the PDF of some reports. */
export function testRows(identifiers: readonly string[]): void {
  test.each(identifiers)('with the rows of %s', async (reportIdentifier) => {
    const { faults, pages } = await checkReport({ reportIdentifier, ...OCTOBER })
    expect(faults).toEqual([])
    expect(pages).toBeGreaterThan(reportIdentifier === 'payouts-transfers' ? 0 : 1)
  })
}
