import { openDocument, type PdfDocument } from '@counterfoil/pdf-writer'
import type { ReportAbout } from '../../format.ts'

/** Opens the document of a report. See `openDocument`. */
export async function openReport(about: ReportAbout, taggedRowsMax: number): Promise<PdfDocument> {
  const { title, login, name, madeAt, runId } = about
  const properties = { title, author: login, subject: name, language: 'en', madeAt, id: runId }
  return await openDocument(properties, taggedRowsMax)
}
