import type { Color } from '../document/page.ts'

/** The room between the text and the edge of the page, in points. */
export const MARGIN = 40

/** The size of texts beside tables, and the height of their lines in parts of it. */
export const TEXT_SIZE = 8.5
export const LEADING = 1.45

/** The colors of texts and lines. */
export const INK = {
  title: [0.08, 0.1, 0.16],
  text: [0.1, 0.1, 0.12],
  label: [0.42, 0.44, 0.5],
  rule: [0.8, 0.82, 0.85],
} as const satisfies Record<string, Color>
