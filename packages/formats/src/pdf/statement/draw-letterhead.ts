import type { Letterhead } from '../../format/format.ts'
import type { PdfDocument } from '../document/pdf-document.ts'
import { INK, LEADING, MARGIN, TEXT_SIZE } from '../report/style.ts'
import type { TablePlace } from '../table/table-writer.ts'

const NAME_SIZE = 11

/** The greatest size of the logo, and the room around the letterhead, in points. */
const LOGO_WIDTH_MAX = 170
const LOGO_HEIGHT_MAX = 48
const GAP = 12

/**
 * Draws the operator's letterhead: name and address at the left, the logo at the right.
 *
 * @returns the height of the next text
 */
export function drawLetterhead(
  document: PdfDocument,
  { page, y: top }: TablePlace,
  { name, address, logo }: Letterhead,
): number {
  const { width } = page.size
  const room = width - 2 * MARGIN - LOGO_WIDTH_MAX - GAP
  let y = top
  document.tag('P', page, () => {
    for (const [index, text] of [name, ...address].entries()) {
      const [size, weight, ink] =
        index === 0
          ? ([NAME_SIZE, 'bold', INK.title] as const)
          : ([TEXT_SIZE, 'regular', INK.label] as const)
      for (const line of document.typesetter.lines(text, (room * 1000) / size, weight)) {
        page.text(line, MARGIN, y + size, size, ink)
        y += size * LEADING
      }
    }
  })
  if (logo) {
    const scale = Math.min(LOGO_WIDTH_MAX / logo.width, LOGO_HEIGHT_MAX / logo.height)
    const size = { width: logo.width * scale, height: logo.height * scale }
    page.image(logo.bytes, [width - MARGIN - size.width, top], size)
    y = Math.max(y, top + size.height)
  }
  page.rule([MARGIN, y + GAP], [width - MARGIN, y + GAP], 0.4, INK.rule)
  return y + 2 * GAP
}
