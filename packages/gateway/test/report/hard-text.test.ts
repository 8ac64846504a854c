import { execFileSync } from 'node:child_process'
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, test } from 'vitest'
import { isInstalled } from '../../../signing/test/is-installed.ts'
import { ask, LIST, parameters } from '../kit/ask.ts'
import { HARD_TEXTS } from '../kit/hard-texts.ts'
import { insertRows } from '../kit/ledger-rows.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const FIRST_ID = 9_223_372_036_854_770_000n
const HEADER_AND_ROWS = HARD_TEXTS.length + 1
const PERIOD = parameters({ dateFrom: '2027-01-01', dateTo: '2027-01-02' })

const { sandbox, gateway } = await serveSandbox([1000])
beforeAll(async () => {
  const rows = HARD_TEXTS.map((text, index) => ({
    id: FIRST_ID + BigInt(index),
    createdAt: '2027-01-01 00:00:00.000',
    orderId: `${text.slice(0, 50)}#${index}`,
    description: text,
  }))
  await insertRows(gateway.engine, rows)
})

const READERS: readonly (readonly [
  name: string,
  program: string | undefined,
  read: (csv: Buffer, delimiter: string) => string[][],
])[] = [
  ['csv-parse of npm', undefined, (csv, delimiter) => parse(csv, { delimiter })],
  [
    'csv of Python',
    'python3',
    (csv, delimiter) => {
      const program = `import csv, io, json, sys
csv.field_size_limit(10**9)
text = sys.stdin.buffer.read().decode('utf-8')
print(json.dumps(list(csv.reader(io.StringIO(text, newline=''), delimiter=sys.argv[1], strict=True))))`
      const options = { input: csv, encoding: 'utf8', maxBuffer: 2 ** 28 } as const
      return JSON.parse(execFileSync('python3', ['-c', program, delimiter], options))
    },
  ],
]

describe.each(READERS)('%s', (_, program, read) => {
  test.for([',', '\t'])(
    'reads every text back unchanged, delimited by %j',
    async (delimiter, { skip }) => {
      skip(program !== undefined && !isInstalled(program), `${program} is not installed`)
      const request = { ...LIST, ...PERIOD, reportCsvDelimiter: delimiter }
      const { bytes } = await ask(gateway, sandbox.logins.merchant, request)
      const [, ...lines] = read(bytes, delimiter)
      expect(lines).toHaveLength(HARD_TEXTS.length)
      for (const [index, line] of lines.entries()) {
        const text = HARD_TEXTS[index] ?? ''
        expect(line).toHaveLength(9)
        expect(line[1]).toBe(String(FIRST_ID + BigInt(index)))
        expect(line[2]).toBe(`${text.slice(0, 50)}#${index}`)
        expect(line[7]).toBe(text)
      }
    },
  )
})

test('quotes every field, and ends lines in CRLF', async () => {
  const { text, trailers } = await ask(gateway, sandbox.logins.merchant, { ...LIST, ...PERIOD })
  const line = /(?:"(?:[^"]|"")*"(?:,|\r\n)){9}/gy
  expect(text.match(line)?.join('')).toBe(text)
  expect(text.match(line)).toHaveLength(HEADER_AND_ROWS)
  expect(trailers['counterfoil-rows']).toBe(String(HARD_TEXTS.length))
})
