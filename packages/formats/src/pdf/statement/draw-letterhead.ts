import type { Color } from '../document/page.ts'
import type { PdfDocument } from '../document/pdf-document.ts'
import type { Letterhead } from '../../format/format.ts'
import { MARGIN } from '../table/shape-table.ts'
import type { TablePlace } from '../table/table-writer.ts'

const NAME_SIZE = 11
const TEXT_SIZE = 8.5
const LEADING = 1.45
const NAME_INK: Color = [0.08, 0.1, 0.16]
const TEXT_INK: Color = [0.42, 0.44, 0.5]
const RULE: Color = [0.8, 0.82, 0.85]

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
  const { typesetter } = document
  const { width } = page.size
  const room = width - 2 * MARGIN - LOGO_WIDTH_MAX - GAP
  let y = top
  document.tag('P', page, () => {
    const texts = [
      { text: name, size: NAME_SIZE },
      ...address.map((text) => ({ text, size: TEXT_SIZE })),
    ]
    for (const { text, size } of texts) {
      const [weight, ink] =
        size === NAME_SIZE ? (['bold', NAME_INK] as const) : (['regular', TEXT_INK] as const)
      for (const line of typesetter.lines(text, (room * 1000) / size, weight)) {
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
  page.rule([MARGIN, y + GAP], [width - MARGIN, y + GAP], 0.4, RULE)
  return y + 2 * GAP
}
