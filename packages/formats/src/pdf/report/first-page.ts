import { LIMITS } from '@counterfoil/common'
import { limitText } from '../../documents/limit-text.ts'
import { reportFacts } from '../../documents/report-facts.ts'
import type { Letterhead, ReportFile } from '../../format/format.ts'
import type { ReportPages } from '../document/report-pages.ts'
import { INK, LEADING, MARGIN, TEXT_SIZE } from '../document/style.ts'

const TITLE_SIZE = 18
const NAME_SIZE = 11

/** The greatest size of the logo, and the room around the letterhead, in points. */
const LOGO_WIDTH_MAX = 170
const LOGO_HEIGHT_MAX = 48
const GAP = 12

const LABELS_WIDTH = 84

const IDS_SHOWN_MAX = 40

// A value with many lines would fill the page.
const LINE_ENDS = /[\r\n\u2028\u2029]+/g

/** Begins the pages of a report with its title and what it covers, below the operator's letterhead if there is one. */
export function drawFirstPage(
  pages: ReportPages,
  file: Pick<ReportFile, 'about' | 'values'>,
  letterhead?: Letterhead,
): void {
  if (letterhead) drawLetterhead(pages, letterhead)
  const { title, note } = file.about
  pages.write('H1', title, { size: TITLE_SIZE, weight: 'bold', ink: INK.title })
  pages.y += 5
  const { document, bottom } = pages
  const facts = reportFacts(file).map(({ label, values }) => [label, listed(values)] as const)
  if (note !== undefined) facts.push(['Note', note])
  const widths = facts.map(([label]) => (document.typesetter.width(label) * TEXT_SIZE) / 1000 + GAP)
  const left = MARGIN + Math.max(LABELS_WIDTH, ...widths)
  for (const [label, text] of facts) {
    if (pages.y + TEXT_SIZE * LEADING > bottom) pages.begin()
    const { page, y } = pages
    const element = (page.element = document.open('P'))
    page.text(document.typesetter.line(label), MARGIN, y + TEXT_SIZE, TEXT_SIZE, INK.label)
    pages.writeLines(text, { left }, element)
    element?.end()
  }
  pages.y += GAP
}

function drawLetterhead(pages: ReportPages, { name, address, logo }: Letterhead): void {
  const { page, y: top } = pages
  const end = page.size.width - MARGIN
  const right = end - LOGO_WIDTH_MAX - GAP
  pages.write('P', name, { size: NAME_SIZE, weight: 'bold', ink: INK.title, right })
  for (const line of address) pages.write('P', line, { ink: INK.label, right })
  if (logo) {
    const scale = Math.min(LOGO_WIDTH_MAX / logo.width, LOGO_HEIGHT_MAX / logo.height)
    const size = { width: logo.width * scale, height: logo.height * scale }
    page.image(logo.bytes, [end - size.width, top], size)
    pages.y = Math.max(pages.y, top + size.height)
  }
  pages.y += GAP
  page.rule([MARGIN, pages.y], [end, pages.y], 0.4, INK.rule)
  pages.y += GAP
}

function listed(values: readonly string[]): string {
  const { pdfFactLengthMax, pdfFactValueLengthMax } = LIMITS
  const lengthMax = values.length === 1 ? pdfFactLengthMax : pdfFactValueLengthMax
  const shown = values
    .slice(0, IDS_SHOWN_MAX)
    .map((value) => limitText(value, lengthMax).replaceAll(LINE_ENDS, ' '))
  while (shown.join('').length > pdfFactLengthMax) shown.pop()
  const hidden = values.length - shown.length
  return hidden > 0 ? `${shown.join(', ')} and ${hidden} more` : shown.join(', ')
}
