const ONE = '{"type":"INPUT_TEXT","name":"dateFrom","value":"2026-01-01"}'
const LIST = "one of this report's columns: Merchant_Name"
const NAMES = "one of this format's parameters: timezone, spreadsheet, header"

/** Members that make an envelope faulty: the pointer of the fault, a part of its text, and the member. */
export const FAULTY_ENVELOPES: readonly (readonly [string, expected: string, member: string])[] = [
  ['/reportIdentifier', 'the identifier of a report', '"reportIdentifier":null'],
  ['/reportIdentifier', 'the identifier of a report', '"reportIdentifier":""'],
  ['/reportEncode', 'UTF-8', '"reportEncode":"EBCDIC"'],
  ['/reportName', 'a name', '"reportName":{}'],
  ['/reportName', 'at most 200', `"reportName":"${'x'.repeat(201)}"`],
  ['/reportFormat', 'CSV', '"reportFormat":"DOC"'],
  ['/reportCsvDelimiter', 'one character', '"reportCsvDelimiter":";;"'],
  ['/configurationReportParameters', 'an array', '"configurationReportParameters":{}'],
  ['/configurationReportParameters/0/name', NAMES, `"configurationReportParameters":[${ONE}]`],
  ['/outputReportParameters', 'an array', '"outputReportParameters":"x"'],
  ['/outputReportParameters/0', LIST, '"outputReportParameters":["x"]'],
  ['/outputReportParameters/0', 'a column name', '"outputReportParameters":[1]'],
  ['/outputReportParameters/1/name', LIST, `"outputReportParameters":["Amount",${ONE}]`],
  ['/inputReportParameters', 'an array', '"inputReportParameters":{}'],
  [
    '/inputReportParameters',
    'at most 200',
    `"inputReportParameters":[${ONE}${`,${ONE}`.repeat(200)}]`,
  ],
  ['/inputReportParameters/0', 'an object', '"inputReportParameters":["x"]'],
  [
    '/inputReportParameters/0/name',
    'the name',
    `"inputReportParameters":[${change('dateFrom', '')}]`,
  ],
  [
    '/inputReportParameters/0/value',
    'a text',
    `"inputReportParameters":[${change('"2026-01-01"', '1')}]`,
  ],
  [
    '/inputReportParameters/0/extra',
    'no such member',
    `"inputReportParameters":[${change('{', '{"extra":1,')}]`,
  ],
  ['/filters', 'an object', '"filters":[]'],
  ['/filters/gate', 'did you mean "gates"', '"filters":{"gate":[]}'],
  ['/filters/gates', 'an array', '"filters":{"gates":1}'],
  ['/filters/gates/1', 'an id', '"filters":{"gates":[1," OR 1=1"]}'],
  ['/filters/currencies/0', 'a currency code', '"filters":{"currencies":["eur"]}'],
  ['/reportname', 'did you mean "reportName"', '"reportname":"x"'],
  ['/a~1b~0c', 'no such member', '"a/b~c":1'],
  ['/__proto__', 'no such member', '"__proto__":{}'],
]

/** The JSON of an envelope with a faulty member. */
export function faultyEnvelope(member: string): string {
  return `{"reportIdentifier":"transactions-list",${member}}`
}

function change(from: string, to: string): string {
  return ONE.replace(from, to)
}
