import { createHash } from 'node:crypto'
import type { ReportRequest } from '@counterfoil/protocol'
import { parse } from 'csv-parse/sync'
import iconv from 'iconv-lite'
import { beforeAll, expect, test } from 'vitest'
import { type Answer, ask, parameters, problemIn } from '../kit/ask.ts'
import { insertRows } from '../kit/ledger-rows.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const TEXTS = [
  'plain',
  'a "quoted", text;',
  'two\r\nlines',
  '=1+1',
  'back\\slash ~ and \u0001',
  'Müller & Söhne, 5 €',
  'Łódź, Rīga, İstanbul, Þór',
  'Москва №5, Київ ї',
  'Ελλάδα',
  'שלום',
  'مرحبا',
  'ประเทศไทย',
  '東京ｶﾅ 日本',
  '北京 人民币 ¥',
  '서울',
  'e\u0301',
  '😀👩‍👧🇩🇪 𝒳',
  'x'.repeat(100_000) + 'é'.repeat(100_000),
]
const TITLES = ['Id', 'Código', 'Описание']
const FIRST_ID = 9_223_372_036_854_770_000n

/** On another day than the texts. */
const SPREADSHEET_ROWS = [
  {
    id: 1_000_010_000_000_000_123n,
    createdAt: '2026-10-31 22:10:59.000',
    orderId: '0012',
    amount: '68.11',
    description: 'Müller; 5,00 €',
  },
  {
    id: 1_000_010_000_000_000_124n,
    createdAt: '2026-10-31 22:11:00.000',
    orderId: 'ORD-"1"',
    amount: '-1234567.5',
    description: null,
  },
]

/** Encodings of each kind. The suite of `encodeText` has all of them. */
const ENCODINGS = [
  'UTF-8',
  'UTF-16BE',
  'US-ASCII',
  'IBM437',
  'windows-1251',
  'Shift_JIS',
  'GB18030',
]

const { sandbox, gateway } = await serveSandbox([0])
beforeAll(async () => {
  const rows = TEXTS.map((description, index) => ({
    id: FIRST_ID + BigInt(index),
    createdAt: `2027-01-01 00:00:${String(index).padStart(2, '0')}.000`,
    description,
    orderId: description.slice(0, 50),
  }))
  await insertRows(gateway.engine, [...rows, ...SPREADSHEET_ROWS])
})

/** Asks for the report of the texts in an encoding. */
async function askIn(
  encoding: string,
  configuration: Readonly<Record<string, string>> = {},
  more: Partial<ReportRequest> = {},
): Promise<Answer> {
  const { inputReportParameters: values } = parameters(configuration)
  return await ask(gateway, sandbox.logins.merchant, {
    reportIdentifier: 'transactions-list',
    ...parameters({ dateFrom: '2027-01-01' }),
    reportEncode: encoding,
    configurationReportParameters: values,
    outputReportParameters: ['Transaction_id', 'Merchant_OID', 'Order_description'].map(
      (name, index) => ({ type: 'INPUT_TEXT', name, value: TITLES[index] ?? '' }),
    ),
    ...more,
  })
}

/** Returns a decoder that we did not write: Node's, or iconv-lite's where Node has none or a smaller one. */
function decoderOf(encoding: string): (bytes: Uint8Array) => string {
  const isNodes = !/^(US-ASCII|IBM437)$/.test(encoding)
  if (!isNodes) return (bytes) => iconv.decode(bytes, encoding)
  const decoder = new TextDecoder(encoding, { ignoreBOM: true })
  return (bytes) => decoder.decode(bytes)
}

/** The characters that a decoder can read, or undefined if that is every character. */
function charactersOf(
  encoding: string,
  decode: ReturnType<typeof decoderOf>,
): ReadonlySet<string> | undefined {
  if (encoding.startsWith('UTF') || encoding === 'GB18030') return undefined
  const isMultiByte = encoding === 'Shift_JIS'
  const single = Array.from({ length: 256 }, (_, byte) => [byte, 10])
  const leads = isMultiByte ? single.slice(0x80) : []
  const pairs = leads.flatMap(([lead]) => single.slice(0x40).map(([trail]) => [lead, trail, 10]))
  const bytes = [...single, ...pairs].flat().map((byte) => byte ?? 0)
  return new Set(decode(Buffer.from(bytes)).replaceAll('\ufffd', ''))
}

test.each(ENCODINGS)(
  '%s holds the ledger’s values, and counts the characters that it lacks',
  async (encoding) => {
    const decode = decoderOf(encoding)
    const known = charactersOf(encoding, decode)
    let replaced = 0
    const written = (text: string): string => {
      return Array.from(text, (character) => {
        if (known?.has(character) !== false) return character
        replaced += 1
        return '?'
      }).join('')
    }
    const expected = [
      TITLES.map(written),
      ...TEXTS.map((text, index) => {
        return [String(FIRST_ID + BigInt(index)), written(text.slice(0, 50)), written(text)]
      }),
    ]
    const { status, headers, trailers, bytes } = await askIn(encoding)
    expect(status).toBe(200)
    expect(headers['content-type']).toBe(`text/csv; charset=${encoding}`)
    expect(parse(decode(bytes))).toEqual(expected)
    expect(trailers).toEqual({
      'repr-digest': `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`,
      'counterfoil-rows': String(TEXTS.length),
      'counterfoil-replaced': String(replaced),
    })
  },
)

test('begins with a byte order mark in Unicode encodings only', async () => {
  const firstBytes = async (encoding: string, bom = 'on') => {
    const { bytes } = await askIn(encoding, { bom })
    return bytes.subarray(0, 4).toString('hex')
  }
  expect(await firstBytes('utf-8')).toBe('efbbbf22')
  expect(await firstBytes('utf-16')).toBe('fffe2200')
  expect(await firstBytes('UTF-16BE')).toBe('feff0022')
  // Without a byte order mark, nobody could tell the order of UTF-16.
  expect(await firstBytes('UTF-16', 'off')).toBe('fffe2200')
  expect((await firstBytes('UTF-16LE', 'off')).slice(0, 4)).toBe('2200')
  expect((await askIn('cp1251')).headers['content-type']).toBe('text/csv; charset=windows-1251')
  expect(await firstBytes('windows-1251')).toBe(Buffer.from('"Id"').toString('hex'))
})

test('refuses a delimiter that the encoding lacks', async () => {
  const askWith = async (reportCsvDelimiter: string) => {
    return await askIn('windows-1251', {}, { reportCsvDelimiter })
  }
  expect((await askWith('№')).bytes.toString('latin1')).toMatch(/^"Id"\xb9"C\?digo"\xb9/)
  expect(problemIn(await askWith('漢'))).toMatchObject({
    code: 'invalid-field',
    errors: [{ pointer: '/reportCsvDelimiter', expected: 'a character that WINDOWS-1251 has' }],
  })
})

test('refuses, on request, a report with characters that its encoding lacks', async () => {
  const answer = await askIn('windows-1251', { unencodable: 'refuse' })
  expect(answer.status).toBe(422)
  const { code, errors } = problemIn(answer)
  expect(code).toBe('invalid-field')
  const { trailers } = await askIn('windows-1251')
  const count = trailers['counterfoil-replaced']
  expect(errors).toEqual([
    {
      pointer: '/reportEncode',
      expected: `an encoding with every character: WINDOWS-1251 lacks ${count} characters of the report, first U+00F3 in the title Código`,
    },
  ])
  const plainTitles = await askIn(
    'US-ASCII',
    { unencodable: 'refuse' },
    { outputReportParameters: ['Transaction_id', 'Order_description'] },
  )
  const row = TEXTS.findIndex((text) => /[^\0-\x7f]/.test(text)) + 1
  expect(problemIn(plainTitles).errors?.[0]?.expected).toMatch(
    new RegExp(`first U\\+00FC in row ${row}, column Order_description$`),
  )
})

test('sends a report that was to be refused if its encoding has every character', async () => {
  const refuse = { unencodable: 'refuse' }
  for (const encoding of ['UTF-8', 'UTF-16LE', 'GB18030']) {
    const { bytes } = await askIn(encoding, refuse)
    expect(bytes).toEqual((await askIn(encoding)).bytes)
  }
  const ids = await askIn('US-ASCII', refuse, { outputReportParameters: ['Created_date'] })
  expect(ids.trailers['counterfoil-rows']).toBe(String(TEXTS.length))
})

/** Asks for the report of the rows for spreadsheets. */
async function askAs(
  configuration: Readonly<Record<string, string>>,
  more: Partial<ReportRequest> = {},
): Promise<Answer> {
  return await ask(gateway, sandbox.logins.merchant, {
    reportIdentifier: 'transactions-list',
    ...parameters({ dateFrom: '2026-10-31', dateTo: '2026-11-01' }),
    configurationReportParameters: parameters(configuration).inputReportParameters,
    outputReportParameters: [
      'Transaction_id',
      'Merchant_OID',
      'Created_date',
      'Amount',
      'Order_description',
    ],
    ...more,
  })
}

test.each([
  [
    'de-DE',
    '"Transaction_id";"Merchant_OID";"Created_date";"Amount";"Order_description"',
    '"=""1000010000000000123""";"=""0012""";"31.10.2026 22:10:59";"68,110";"Müller; 5,00 €"',
    '"=""1000010000000000124""";"=""ORD-""""1""""""";"31.10.2026 22:11:00";"-1234567,500";""',
  ],
  [
    'en-US',
    '"Transaction_id","Merchant_OID","Created_date","Amount","Order_description"',
    '"=""1000010000000000123""","=""0012""","2026-10-31 22:10:59","68.110","Müller; 5,00 €"',
    '"=""1000010000000000124""","=""ORD-""""1""""""","2026-10-31 22:11:00","-1234567.500",""',
  ],
])(
  '%s has its delimiter, its separator of fractions, its days, a mark and ids as texts',
  async (spreadsheet, titles, ...rows) => {
    const { text } = await askAs({ spreadsheet })
    expect(text.split('\r\n')).toEqual([`\ufeff${titles}`, ...rows, ''])
  },
)

test('a parameter that the request names wins, also with its default value', async () => {
  const own = { decimalSeparator: '.', dateFormat: 'mixed', ids: 'plain', bom: 'off' }
  const named = await askAs({ spreadsheet: 'de-DE', ...own }, { reportCsvDelimiter: ',' })
  expect(named.text).toBe((await askAs({})).text)
  const decimals = await askAs({ spreadsheet: 'de-DE', decimals: '2' })
  expect(decimals.text).toContain('"68,11";')
})

test('lists the locales when a request names another one', async () => {
  const answer = await askAs({ spreadsheet: 'de' })
  expect(answer.status).toBe(422)
  expect(problemIn(answer).errors?.[0]).toEqual({
    pointer: '/configurationReportParameters/0/value',
    expected: expect.stringMatching(/^for spreadsheet one of be-BY, .*de-DE/),
  })
})
