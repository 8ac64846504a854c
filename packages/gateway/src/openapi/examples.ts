import { type OperationName, REFUSAL_PREFIX, type ReportRequest } from '@counterfoil/protocol'

export const RUN_ID = 'e85f7d35-1460-4e29-8e63-62abc9c1adf2'

export const REPORT_REQUESTS: Readonly<Record<string, ReportRequest>> = {
  usual: {
    reportIdentifier: 'transactions-list',
    reportName: 'october',
    reportFormat: 'XLSX',
    inputReportParameters: [
      { type: 'INPUT_TEXT', name: 'dateFrom', value: '2026-10-01' },
      { type: 'INPUT_TEXT', name: 'dateTo', value: '2026-11-01' },
      { type: 'INPUT_TEXT', name: 'timezone', value: 'Europe/Berlin' },
    ],
    outputReportParameters: ['Created_date', 'Amount', 'Currency', 'Status'],
    filters: { currencies: ['EUR'] },
  },
  shortest: { reportIdentifier: 'transactions-list' },
}

export const CSV_EXAMPLE =
  '"Merchant_Name","Transaction_id","Amount","Currency"\r\n"Shop","1000010000000000123","10.420","EUR"\r\n'

/** A refusal as production answers. A sandbox explains more. */
export const REFUSAL_EXAMPLE = `${REFUSAL_PREFIX} to perform this request.\nRequest id: ${RUN_ID}\n`

const RENT = { amount: '10.42', currency: 'EUR', order_desc: 'Rent' }

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
    ...RENT,
    deposit2card: 'true',
    'destination-card-no': '9001000000000000',
  },
  'transfer-by-ref': {
    client_orderid: 'order-3',
    ...RENT,
    'destination-card-no': '9001000000000000',
  },
  payout: {
    client_orderid: 'order-4',
    ...RENT,
    account_number: 'LV80BANK0000435195001',
    bank_name: 'A bank',
  },
}
