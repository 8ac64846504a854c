import { offsetMs } from '../../../zone-clock.ts'
import type { ReportAbout } from '../../format.ts'
import type { Color, Page } from '../document/page.ts'
import { MARGIN } from '../table/shape-table.ts'
import type { PdfDocument } from '../document/pdf-document.ts'

const TITLE_SIZE = 18
const TEXT_SIZE = 8.5
const LEADING = 1.45
const TITLE_INK: Color = [0.08, 0.1, 0.16]
const LABEL_INK: Color = [0.42, 0.44, 0.5]
const TEXT_INK: Color = [0.1, 0.1, 0.12]

/** The least room for the labels, and the room between a label and its text, in points. */
const LABELS_WIDTH = 84
const LABEL_GAP = 12

/** The ids of a filter that the first page lists. */
const IDS_SHOWN_MAX = 40

/** Parameters that the lines about the period and the time zone show. */
const SHOWN_APART = ['dateFrom', 'dateTo', 'dateAxis', 'timezone']

/**
 * Writes the title of a report, and what it covers.
 *
 * @returns the end of the text, in points from the top of the page
 */
export function drawFirstPage(document: PdfDocument, page: Page, about: ReportAbout): number {
  const { typesetter } = document
  const room = page.size.width - 2 * MARGIN
  let y = MARGIN
  document.tag('H1', page, () => {
    for (const line of typesetter.lines(about.title, (room * 1000) / TITLE_SIZE, 'bold')) {
      const left = line.isRightToLeft ? room - (line.width * TITLE_SIZE) / 1000 : 0
      page.text(line, MARGIN + left, y + TITLE_SIZE, TITLE_SIZE, TITLE_INK)
      y += TITLE_SIZE * 1.3
    }
  })
  y += 8
  const facts = factsOf(about)
  const labels = facts.reduce((widest, [label]) => {
    return Math.max(widest, (typesetter.width(label) * TEXT_SIZE) / 1000 + LABEL_GAP)
  }, LABELS_WIDTH)
  const width = ((room - labels) * 1000) / TEXT_SIZE
  for (const [label, text] of facts) {
    document.tag('P', page, () => {
      page.text(typesetter.line(label), MARGIN, y + TEXT_SIZE, TEXT_SIZE, LABEL_INK)
      for (const line of typesetter.lines(text, width)) {
        page.text(line, MARGIN + labels, y + TEXT_SIZE, TEXT_SIZE, TEXT_INK)
        y += TEXT_SIZE * LEADING
      }
    })
  }
  return y + 12
}

function factsOf(about: ReportAbout): readonly (readonly [label: string, text: string])[] {
  const parameters = Object.entries(about.parameters).filter(
    ([name]) => !SHOWN_APART.includes(name),
  )
  return [
    ['Login', about.login],
    ['Period', periodOf(about)],
    ['Time zone', about.timezone],
    ...Object.entries(about.filters).map(([name, ids]) => [name, listed(ids)] as const),
    ...parameters.map(([name, value]) => [name, listed([value].flat().map(String))] as const),
    ['Made at', localTime(about.madeAt, about.timezone)],
    ['Report run', about.runId],
  ]
}

function periodOf({ parameters, timezone }: ReportAbout): string {
  const [from, to] = ['dateFrom', 'dateTo'].map((name) => {
    const text = parameters[name]
    return typeof text === 'string'
      ? localTime(Date.parse(`${text.replace(' ', 'T')}Z`), timezone)
      : undefined
  })
  const axis = parameters['dateAxis']
  const by = axis === undefined ? '' : `, by the date ${String(axis)}`
  if (from === undefined && to === undefined) return 'All days'
  const until = to === undefined ? '' : `until before ${to}`
  return `${[from === undefined ? '' : `from ${from}`, until].filter(Boolean).join(' ')}${by}`
}

function listed(values: readonly string[]): string {
  const shown = values.slice(0, IDS_SHOWN_MAX).join(', ')
  const hidden = values.length - IDS_SHOWN_MAX
  return hidden > 0 ? `${shown} and ${hidden} more` : shown
}

/** Writes an instant as the clocks of a time zone show it. */
function localTime(instant: number, timezone: string): string {
  return new Date(instant + offsetMs(instant, timezone))
    .toISOString()
    .slice(0, 19)
    .replace('T', ' ')
}
