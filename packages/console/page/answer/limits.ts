/** Every maximum of the answer's views. */
export const LIMITS = {
  /** Runs that stand where the first report will be. */
  lastRuns: 5,
  /** Rows that a preview asks for, unless the person wants every row. */
  previewRows: 1000,
  /** Rows that the page holds: 150 MB of `transactions-list` without optional columns. */
  tableRows: 1_000_000,
  /** Memory for them, if they are longer. */
  tableBytes: 250_000_000,
  /** Rows that one copy takes, because the clipboard holds them as one text. */
  copiedRows: 100_000,
  /** Groups of a chart. Each has its exact sums. */
  chartGroups: 200_000,
  /** Figures in the table beside a chart. The page draws all of them at once. */
  chartFigures: 2_000,
  /** Rows of the table of totals. The page draws all of them at once. */
  totals: 2_000,
  /** Bars of a chart. */
  chartBars: 20,
  /** Characters of a cell in the table. The line below the table shows more. */
  cellCharacters: 200,
  /** Characters of a cell in the line below the table. A copy has all. */
  detailCharacters: 20_000,
} as const
