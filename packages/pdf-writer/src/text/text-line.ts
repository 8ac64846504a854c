/** A part of a line in one font. */
export interface TextSpan {
  /** The name of the font in the resources of pages. */
  readonly font: string
  /** The operator that shows the glyphs. */
  readonly show: string
  /** How far the glyphs stand above the line, in thousandths of the font's size. */
  readonly rise: number
}

/** A line of text, ready for a page: its spans from left to right. */
export interface TextLine {
  readonly spans: readonly TextSpan[]
  /** In thousandths of the font's size. */
  readonly width: number
  readonly isRightToLeft: boolean
}
