import { expect, test } from 'vitest'
import { problemIn } from '../kit/ask.ts'
import { askIn, describeEncodings, TEXTS } from './encodings.cases.ts'

// Encodings of each kind. The long test tries every encoding.
describeEncodings(
  [
    'UTF-8 UTF-16LE UTF-16BE US-ASCII KOI8-R macintosh IBM437 IBM866 ISO-8859-2 windows-1251',
    'windows-1252 Shift_JIS GB18030 EUC-KR',
  ].flatMap((line) => line.split(' ')),
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
  expect((await askIn('utf16')).headers['content-type']).toBe('text/csv; charset=UTF-16')
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

test('lists the encodings when a request names another one', async () => {
  const answer = await askIn('EBCDIC')
  expect(answer.status).toBe(422)
  expect(problemIn(answer).errors?.[0]?.expected).toContain('WINDOWS-1251')
})
