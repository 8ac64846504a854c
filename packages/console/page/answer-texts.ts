/** The texts of an answer: its table, its proof and its charts. A translation replaces this file. */
export const answerTexts = {
  title: 'Answer',
  nothing: 'The report appears here.',
  lastRuns: 'Your last reports',
  example: 'Show an example',
  views: 'Rows or charts',
  rows: 'Rows',
  charts: 'Charts',
  showAll: 'Show every row',
  noRows: 'The report has no rows.',
  // Head
  status: 'Status',
  bytes: 'Bytes',
  duration: 'Duration',
  newestRow: 'Newest row of the ledger',
  run: 'Run',
  sha256: 'SHA-256',
  howProved: 'How this was proved',
  technical: 'What the gateway answered',
  proofs: {
    trailers: 'Complete: digest and row count agree with the gateway’s trailers.',
    manifest: 'Complete: digest and row count agree with the manifest of the run.',
    rows: 'The row count agrees with the manifest. Something on the way compressed the report, so the page cannot compare the digest.',
    none: 'The gateway does not prove that the report is complete.',
  },
  digestProofs: {
    trailers: 'Complete: the digest agrees with the gateway’s trailers.',
    manifest: 'Complete: the digest agrees with the manifest of the run.',
  },
  instead:
    'The page compared the SHA-256 of what arrived with the manifest of the run. A browser shows no trailers, so these are their values in the manifest. Then come the headers of the answer.',
  partial: (rows: number) =>
    `The first ${rows.toLocaleString('en')} rows. Show every row, or download the file.`,
  // Transfer
  loading: 'The report arrives',
  waiting: 'Waiting for the gateway …',
  rowsSoFar: (rows: number) => `${rows.toLocaleString('en')} rows`,
  cancel: 'Cancel',
  cancelled: 'Cancelled.',
  download: 'Download',
  downloading: 'Downloading',
  saved: 'Saved',
  notSaved: 'Not saved',
  unproved: 'The gateway did not prove the file, so the page did not save it.',
  // Table
  table: 'Rows of the report',
  search: 'Search in these rows',
  previous: 'Previous',
  next: 'Next',
  hits: (position: number, hits: number) => {
    if (hits === 0) return 'Not found'
    const rows = `${hits.toLocaleString('en')} ${hits === 1 ? 'row' : 'rows'}`
    return position > 0 ? `${position.toLocaleString('en')} of ${rows}` : rows
  },
  searched: (rows: number) => `${rows.toLocaleString('en')} rows searched …`,
  copySelected: (rows: number) =>
    rows === 1 ? 'Copy the row' : `Copy ${rows.toLocaleString('en')} rows`,
  copyAll: (copied: number, rows: number) =>
    copied < rows ? `Copy the first ${copied.toLocaleString('en')} rows` : 'Copy all as TSV',
  copied: (rows: number) =>
    rows === 1 ? '1 row copied as TSV' : `${rows.toLocaleString('en')} rows copied as TSV`,
  notCopied: (reason: string) => `Not copied: ${reason}`,
  row: (row: number) => `Row ${row.toLocaleString('en')}`,
  cell: 'The text of the cell',
  emptyText: 'empty text',
  noValue: 'no value',
  totalsOfAll: 'Totals of all rows',
  totalsOfFirst: (rows: number) => `Totals of the first ${rows.toLocaleString('en')} rows only`,
  currency: 'Currency',
  // Charts
  noCharts: 'This report declares no totals, so it has no charts.',
  measure: 'Show',
  grouping: 'By',
  all: 'All',
  share: 'Share of approved payments',
  perDay: (column: string) => `Day (${column})`,
  mixed: (columns: string) =>
    `This sum adds amounts of different ${columns}. Read what the report says about its amounts, or choose one of each.`,
  figures: (count: number) => `The figures as a table (${count.toLocaleString('en')})`,
  otherFigures: (shown: number, all: number) =>
    `The table has the first ${shown.toLocaleString('en')} of ${all.toLocaleString('en')} figures. For the others, download the report.`,
  drawnFrom: (rows: number) => `From ${rows.toLocaleString('en')} rows.`,
  noFigures: 'No row of the report has these values.',
  summary: ({ measure, grouping, groups, drawn, highest, lowest }: ChartSummary) => {
    const most = drawn < groups ? `, of which the chart shows the highest ${drawn}` : ''
    const ends = `Highest: ${highest.label || '–'} with ${highest.text}. Lowest: ${lowest.label || '–'} with ${lowest.text}.`
    return `${measure} by ${grouping}: ${groups.toLocaleString('en')} ${groups === 1 ? 'figure' : 'figures'}${most}. ${ends}`
  },
  tooManyGroups: (groupsMax: number) =>
    `The report has more than ${groupsMax.toLocaleString('en')} groups, too many for a chart. Choose a shorter period or fewer filters.`,
} as const

/** What the summary of a chart says. */
interface ChartSummary {
  readonly measure: string
  readonly grouping: string
  readonly groups: number
  readonly drawn: number
  readonly highest: { readonly label: string; readonly text: string }
  readonly lowest: { readonly label: string; readonly text: string }
}
