import type { ColumnKind } from '@counterfoil/engine'
import type { FileColumn } from '../../format/format.ts'

/** How a column's values stand: at its left end, or with their decimal points in one line near its right end. */
export type Alignment = 'left' | 'point'

const ALIGNMENTS: Readonly<Record<ColumnKind, Alignment>> = {
  text: 'left',
  id: 'left',
  money: 'point',
  rate: 'point',
  integer: 'point',
  date: 'left',
  time: 'left',
  ratio: 'point',
}

/** Returns how the values of a column stand. */
export function alignmentOf({ kind }: Pick<FileColumn, 'kind'>): Alignment {
  return ALIGNMENTS[kind]
}

/** Returns the length of a number's text before its decimal separator. */
export function wholeLength(text: string): number {
  const place = text.search(/[.,]/)
  return place < 0 ? text.length : place
}

/** A column of a table on its pages. */
export interface TableColumn {
  readonly title: string
  readonly alignment: Alignment
  /** Where its values are in a row. */
  readonly field: number
  /** The left end, in points from the left end of the page. */
  readonly left: number
  readonly width: number
  /** The room right of the decimal points, in points. */
  readonly fraction: number
}

/** The columns of a table: each band is a line of every row. A table that fits the page has one band. */
export interface TableShape {
  readonly bands: readonly (readonly TableColumn[])[]
  readonly fontSize: number
  /** The ends of the table, in points from the left end of the page. */
  readonly left: number
  readonly right: number
}
