import {
  type AsyncResponse,
  type Catalogue,
  type EligibilityResponse,
  type ErrorResponse,
  errorResponse,
  FILTER_NAMES,
  type OperationName,
  REFUSAL_PREFIX,
  type ReportRequest,
  type Run,
} from '@counterfoil/protocol'

/** The id of the example request, which is also the id of its run. */
export const RUN_ID = 'e85f7d35-1460-4e29-8e63-62abc9c1adf2'

const OCTOBER: ReportRequest = {
  reportIdentifier: 'transactions-list',
  reportName: 'october',
  inputReportParameters: [
    { type: 'INPUT_TEXT', name: 'dateFrom', value: '2026-10-01' },
    { type: 'INPUT_TEXT', name: 'dateTo', value: '2026-11-01' },
    { type: 'INPUT_TEXT', name: 'timezone', value: 'Europe/Berlin' },
  ],
  filters: { currencies: ['EUR'] },
}

/** Requests for a report. */
export const REPORT_REQUESTS: Readonly<Record<string, ReportRequest>> = {
  usual: OCTOBER,
  shortest: { reportIdentifier: 'transactions-list' },
  spreadsheet: {
    ...OCTOBER,
    reportFormat: 'XLSX',
    outputReportParameters: ['Created_date', 'Amount', 'Currency', 'Status'],
  },
}

/** A report in CSV. */
export const CSV_EXAMPLE =
  '"Merchant_Name","Transaction_id","Amount","Currency"\r\n"Shop","1000010000000000123","10.420","EUR"\r\n'

/** A refusal as production answers. A sandbox explains more. */
export const REFUSAL_EXAMPLE = `${REFUSAL_PREFIX} to perform this request.\nRequest id: ${RUN_ID}\n`

/** The same refusal of a sandbox, as JSON. */
export const REFUSAL_JSON_EXAMPLE = {
  message: `${REFUSAL_PREFIX} to perform this request.`,
  requestId: RUN_ID,
  step: 'timestamp',
  code: 'timestamp-unit',
  expected: 'oauth_timestamp in whole seconds since 1970',
  got: 'milliseconds',
  diagnosis: 'unknown',
}

/** The form of each operation. Its currency must be the currency of the endpoint. */
export const FORMS: Readonly<Record<OperationName, Readonly<Record<string, string>>>> = {
  'pan-eligibility': {
    client_orderid: 'order-1',
    'sending-card-number': '9001000000000000',
    'card-printed-name': 'ANNA OZOLA',
    expire_month: '12',
    expire_year: '2031',
  },
  transfer: {
    client_orderid: 'order-2',
    amount: '10.42',
    currency: 'EUR',
    order_desc: 'Rent',
    deposit2card: 'true',
    'destination-card-no': '9001000000000000',
  },
  'transfer-by-ref': {
    client_orderid: 'order-3',
    amount: '10.42',
    currency: 'EUR',
    order_desc: 'Rent',
    'destination-card-no': '9001000000000000',
  },
  payout: {
    client_orderid: 'order-4',
    amount: '10.42',
    currency: 'EUR',
    order_desc: 'Payout of May',
    account_number: 'LV80BANK0000435195001',
    bank_name: 'A bank',
  },
}

const SERIAL_NUMBER = '93d26905-6d07-4359-92b6-4c3f2dd951a1'

/** The answer to an accepted transfer or payout. */
export function asyncResponse(
  name: OperationName,
  answerId: 'transaction-id' | 'payout-id',
): AsyncResponse {
  return {
    type: 'async-response',
    'serial-number': SERIAL_NUMBER,
    ...orderIds(name),
    [answerId]: '2000000000000000011',
  }
}

/** The answer about a card. */
export const ELIGIBILITY: EligibilityResponse = {
  type: 'pan-eligibility-response',
  'serial-number': SERIAL_NUMBER,
  ...orderIds('pan-eligibility'),
  status: 'approved',
  'can-send': true,
  bin: '900100',
  'last-four-digits': '0000',
}

/** The answers to operations that the gateway does not accept, by status. */
export const ERRORS: Readonly<Record<422 | 500 | 503, ErrorResponse>> = {
  422: errorResponse('unknown-currency', 'currency: expected EUR', SERIAL_NUMBER),
  500: errorResponse('internal-error', '', SERIAL_NUMBER),
  503: errorResponse('unavailable', '', SERIAL_NUMBER),
}

/** The record of the example request. */
export const RUN: Run = {
  runId: RUN_ID,
  login: 'shop-1',
  reportIdentifier: OCTOBER.reportIdentifier,
  reportName: 'october',
  outcome: 'complete',
  startedAt: '2026-11-01T10:00:00.000Z',
  endedAt: '2026-11-01T10:00:00.123Z',
  durationMs: 123,
  request: OCTOBER,
  parameters: { dateFrom: '2026-09-30 22:00:00.000', dateTo: '2026-10-31 23:00:00.000' },
  timezone: 'Europe/Berlin',
  scope: { role: 'merchant', sees: ['1'] },
  file: {
    name: 'october.csv',
    contentType: 'text/csv; charset=UTF-8',
    rows: 97,
    bytes: 13_400,
    replaced: 0,
    sha256: 'OXCZ7ze9nLfVYSqFJm4H8tJ+j4OUgNRZP8aSWJgKkK0=',
  },
  controlTotals: [{ column: 'Amount', currency: 'EUR', amounts: 90, sum: '1234.500' }],
  schemaHash: '0f5e4ee8c2b8c1d5',
  newestRow: '2026-10-31T20:23:12Z',
  cursor: '2026-11-01T09:59:59.999Z_1f0c2a9be4d7',
}

/** A catalogue of one report with one column. */
export const CATALOGUE: Catalogue = {
  login: 'shop-1',
  role: 'merchant',
  newestRows: { transactions: '2026-10-31T20:23:12Z', statements: '2026-10-31' },
  reports: [
    {
      reportIdentifier: OCTOBER.reportIdentifier,
      title: 'Transactions',
      description: 'Every transaction of a period.',
      formats: ['CSV', 'XLSX'],
      encodings: ['UTF-8'],
      columns: [{ name: 'Amount', kind: 'money', about: 'the amount', optional: false }],
      schemaHash: '0f5e4ee8c2b8c1d5',
      inputReportParameters: [
        {
          name: 'dateFrom',
          title: 'The start of the period',
          type: 'INPUT_DATETIME',
          required: false,
          list: false,
        },
      ],
      configurationReportParameters: [],
      filters: FILTER_NAMES,
      currencyFilter: 'transaction',
      example: OCTOBER,
    },
  ],
  filterValues: { merchants: { values: [{ id: '1', name: 'Shop 1' }], more: false } },
  endpoints: [{ id: '100', currency: 'EUR' }],
}

function orderIds(name: OperationName) {
  const id = FORMS[name]['client_orderid'] ?? ''
  return { 'client-order-id': id, 'merchant-order-id': id }
}
