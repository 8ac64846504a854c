import { expect, test } from 'vitest'
import { fileNameOf, peek } from './open-report.ts'

async function* chunksOf(...texts: readonly string[]): AsyncGenerator<Uint8Array, void> {
  for (const text of texts) yield new TextEncoder().encode(text)
}

test.each([
  [['You are not authorised, and more'], 'You are not authorised, and more'],
  [['You are', '', ' not authorised', ', and'], 'You are not authorised'],
  [['a'], 'a'],
  [[], ''],
])('reads the beginning of %j, and passes on all of it', async (texts, expected) => {
  const { beginning, chunks } = await peek(chunksOf(...texts))
  expect(beginning).toBe(expected)
  const decoder = new TextDecoder()
  const all: string[] = []
  for await (const chunk of chunks) all.push(decoder.decode(chunk))
  expect(all).toEqual(texts)
})

test('closes the body when its reader leaves', async () => {
  let isClosed = false
  const body = async function* () {
    try {
      yield* chunksOf('a', 'b', 'c')
    } finally {
      isClosed = true
    }
  }
  const { chunks } = await peek(body())
  for await (const _ of chunks) break
  expect(isClosed).toBe(true)
})

test.each([
  ['ATTACHMENT; FILENAME="may 2026.csv"', 'may 2026.csv'],
  [
    `attachment; filename="?.csv"; filename*=UTF-8''%d0%be%d1%82%d1%87%d1%91%d1%82.csv`,
    'отчёт.csv',
  ],
  ['attachment; filename="../../x"', 'x'],
  ['attachment; filename="/etc/passwd"', 'passwd'],
  ['attachment; filename="C:\\\\Users\\\\x.csv"', 'x.csv'],
  [`attachment; filename*=UTF-8''..%2F..%2Fx.csv`, 'x.csv'],
  ['attachment; filename=".bashrc"', 'bashrc'],
  ['attachment; filename="-rf.csv"', 'rf.csv'],
  [`attachment; filename*=UTF-8''a%00b%0Ac%1B.csv`, 'a_b_c_.csv'],
  [`attachment; filename*=UTF-8''vsc.%E2%80%AEexe`, 'vsc._exe'],
  ['attachment; filename="a<b>c:d|e?f*.csv"', 'a_b_c_d_e_f_.csv'],
  ['attachment; filename="report. "', 'report'],
])('reads the name in %s, and makes it safe', (header, name) => {
  expect(fileNameOf(header)).toBe(name)
})

test.each([
  'attachment',
  '',
  'attachment; filename=""',
  'attachment; filename=".."',
  'a; filename="/"',
])('finds no name in %j', (header) => {
  expect(fileNameOf(header)).toBeUndefined()
})
