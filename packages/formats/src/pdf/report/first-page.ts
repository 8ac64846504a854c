import { LIMITS } from '@counterfoil/common'
import type { ReportFile } from '../../format/format.ts'
import { reportFacts } from '../../documents/report-facts.ts'
import type { TablePlace } from '../table/table-writer.ts'
import { CUT_MARK, limitText } from '../limit-text.ts'
import type { ReportPages } from './report-pages.ts'
import { INK, LEADING, MARGIN, TEXT_SIZE } from './style.ts'

const TITLE_SIZE = 18

/** The least room for the labels, and the room between a label and its text, in points. */
const LABELS_WIDTH = 84
const LABEL_GAP = 12

/** The ids of a filter that the first page lists. */
const IDS_SHOWN_MAX = 40

// A value with many lines would fill the page.
const LINE_ENDS = /[\r\n\u2028\u2029]+/g

/**
 * Begins the pages of a report with its title and what it covers. Facts that fill the page go on to the next one.
 *
 * @param drawHead draws what stands above the title, and returns the height of the title
 * @returns the place below the text
 */
export function drawFirstPage(
  pages: ReportPages,
  file: Pick<ReportFile, 'about' | 'values'>,
  drawHead: (place: TablePlace) => number = ({ y }) => y,
): TablePlace {
  const { document } = pages
  const { typesetter } = document
  let place = pages.begin()
  let y = drawHead(place)
  const room = place.page.size.width - 2 * MARGIN
  document.tag('H1', place.page, () => {
    for (const line of typesetter.lines(file.about.title, (room * 1000) / TITLE_SIZE, 'bold')) {
      const left = line.isRightToLeft ? room - (line.width * TITLE_SIZE) / 1000 : 0
      place.page.text(line, MARGIN + left, y + TITLE_SIZE, TITLE_SIZE, INK.title)
      y += TITLE_SIZE * 1.3
    }
  })
  y += 8
  const { note } = file.about
  const facts = reportFacts(file).map(({ label, values }) => [label, listed(values)] as const)
  if (note !== undefined) facts.push(['Note', note])
  const labels = facts.reduce((widest, [label]) => {
    return Math.max(widest, (typesetter.width(label) * TEXT_SIZE) / 1000 + LABEL_GAP)
  }, LABELS_WIDTH)
  for (const [label, text] of facts) {
    const lines = typesetter.lines(text, ((room - labels) * 1000) / TEXT_SIZE)
    if (y + lines.length * TEXT_SIZE * LEADING > place.bottom) {
      place = pages.begin()
      ;({ y } = place)
    }
    const { page } = place
    document.tag('P', page, () => {
      page.text(typesetter.line(label), MARGIN, y + TEXT_SIZE, TEXT_SIZE, INK.label)
      for (const line of lines) {
        page.text(line, MARGIN + labels, y + TEXT_SIZE, TEXT_SIZE, INK.text)
        y += TEXT_SIZE * LEADING
      }
    })
  }
  return { ...place, y: y + 12 }
}

function listed(values: readonly string[]): string {
  const { pdfFactLengthMax, pdfFactValueLengthMax } = LIMITS
  const lengthMax = values.length === 1 ? pdfFactLengthMax : pdfFactValueLengthMax
  const shown: string[] = []
  let room = pdfFactLengthMax + CUT_MARK.length
  for (const value of values.slice(0, IDS_SHOWN_MAX)) {
    const text = limitText(value, lengthMax).replaceAll(LINE_ENDS, ' ')
    if (text.length > room) break
    room -= text.length
    shown.push(text)
  }
  const hidden = values.length - shown.length
  return hidden > 0 ? `${shown.join(', ')} and ${hidden} more` : shown.join(', ')
}
