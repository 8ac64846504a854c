const LONG = 'x'.repeat(201)
const ONE = { type: 'INPUT_TEXT', name: 'dateFrom', value: '2026-01-01' }

/** Changes that make an envelope faulty: the pointer of the fault, a part of its text, and the change. */
export const FAULTY_ENVELOPES: readonly (readonly [
  pointer: string,
  expected: string,
  change: object,
])[] = [
  ['/reportIdentifier', 'the identifier of a report', { reportIdentifier: undefined }],
  ['/reportIdentifier', 'the identifier of a report', { reportIdentifier: '' }],
  ['/reportEncode', 'UTF-8', { reportEncode: 'EBCDIC' }],
  ['/reportName', 'a name', { reportName: {} }],
  ['/reportName', 'at most 200', { reportName: LONG }],
  ['/reportFormat', 'CSV', { reportFormat: 'DOC' }],
  ['/reportCsvDelimiter', 'one character', { reportCsvDelimiter: ';;' }],
  ['/configurationReportParameters', 'an array', { configurationReportParameters: {} }],
  [
    '/configurationReportParameters/0/name',
    "one of this format's parameters: timezone, spreadsheet, header",
    { configurationReportParameters: [ONE] },
  ],
  [
    '/configurationReportParameters/0/value',
    'for header one of on, off',
    { configurationReportParameters: [{ ...ONE, name: 'header', value: 'ON' }] },
  ],
  ['/outputReportParameters', 'an array', { outputReportParameters: 'x' }],
  [
    '/outputReportParameters/0',
    "one of this report's columns: Merchant_Name",
    { outputReportParameters: ['x'] },
  ],
  ['/outputReportParameters/0', 'a column name', { outputReportParameters: [1] }],
  [
    '/outputReportParameters/1/name',
    "one of this report's columns: Merchant_Name",
    { outputReportParameters: ['Amount', ONE] },
  ],
  ['/inputReportParameters', 'an array', { inputReportParameters: {} }],
  [
    '/inputReportParameters',
    'at most 200',
    { inputReportParameters: Array.from({ length: 201 }, () => ONE) },
  ],
  ['/inputReportParameters/0', 'an object', { inputReportParameters: ['x'] }],
  ['/inputReportParameters/0/name', 'the name', { inputReportParameters: [{ ...ONE, name: '' }] }],
  [
    '/inputReportParameters/1/value',
    'a text',
    { inputReportParameters: [ONE, { ...ONE, value: 1 }] },
  ],
  [
    '/inputReportParameters/0/extra',
    'no such member',
    { inputReportParameters: [{ ...ONE, extra: 1 }] },
  ],
  ['/filters', 'an object', { filters: [] }],
  ['/filters/gate', 'did you mean "gates"', { filters: { gate: [] } }],
  ['/filters/gates', 'an array', { filters: { gates: 1 } }],
  ['/filters/gates/1', 'an id', { filters: { gates: [1, ' OR 1=1'] } }],
  ['/filters/currencies/0', 'a currency code', { filters: { currencies: ['eur'] } }],
  ['/reportname', 'did you mean "reportName"', { reportname: 'x' }],
  ['/a~1b~0c', 'no such member', { 'a/b~c': 1 }],
  ['/__proto__', 'no such member', { PROTO: {} }],
]
