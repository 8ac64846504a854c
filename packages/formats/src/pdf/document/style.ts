import type { Paper } from '../../format/format.ts'
import type { Color, PageSize } from './page.ts'

/** The sheets of paper, upright, in points. */
export const PAPER_SIZES: Readonly<Record<Paper, PageSize>> = {
  A4: { width: 595.28, height: 841.89 },
  Letter: { width: 612, height: 792 },
}

/** The room between the text and the edge of the page, in points. */
export const MARGIN = 40

/** The size of texts beside tables, and the height of their lines in parts of it. */
export const TEXT_SIZE = 8.5
export const LEADING = 1.45

/** What takes more than this part of a page may begin on one page and end on another. */
export const DIVIDED_MIN = 0.5

export const INK = {
  title: [0.08, 0.1, 0.16],
  text: [0.1, 0.1, 0.12],
  label: [0.42, 0.44, 0.5],
  rule: [0.8, 0.82, 0.85],
  columnTitle: [0.25, 0.27, 0.32],
  headerRule: [0.45, 0.48, 0.55],
  rowRule: [0.87, 0.88, 0.9],
  shade: [0.955, 0.962, 0.975],
} as const satisfies Record<string, Color>
