import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvRows, readCsvHeader } from './csv-rows.ts'
import { cutRows, type RowFormat } from './cut-rows.ts'
import { jsonRows, readFirstMembers } from './json-rows.ts'
import { createPieceWriter, type PieceWriter } from './piece-writer.ts'

/** Yields a file's bytes in chunks of one size. */
async function* chunksOf(text: string | Uint8Array, size: number): AsyncGenerator<Buffer, void> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** Returns the pieces of a text that arrives in chunks. */
async function frame(
  text: string | Uint8Array,
  size: number,
  writer: PieceWriter,
  format: RowFormat,
): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of cutRows('file', chunksOf(text, size), format, writer))
    pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

/** Returns the pieces of two-column CSV, and checks that they are the same for every chunk size. */
async function frameCsv(text: string, delimiter = ','): Promise<string> {
  const framed = new Set<string>()
  for (const size of [1, 2, 3, 7, 1000]) {
    const writer = createPieceWriter(9, delimiter, 2)
    framed.add(await frame(text, size, writer, csvRows(2, delimiter, writer)))
  }
  expect(framed.size).toBe(1)
  return [...framed].join()
}

test('a header longer than a row may be is refused, after little more than a row has been read', async () => {
  let read = 0
  async function* endless(): AsyncGenerator<Buffer, void> {
    for (;;) {
      read += 2 ** 18
      yield Buffer.alloc(2 ** 18, '"a')
    }
  }
  const header = readCsvHeader('a.csv', endless(), ',')
  await expect(header).rejects.toThrow('a.csv:1: expected a header row of at most 1024 KiB')
  expect(read).toBeLessThan(2 ** 21)
})

describe('rows of CSV', () => {
  test.each([
    [
      'end in LF or CR LF, and the last may have no line end',
      'a,b\n1,2\r\n3,4',
      '9,2,2,,1,2\n9,3,3,,3,4\n',
    ],
    ['skip empty lines', 'a,b\n\n1,2\n\r\n\n3,4\n\n', '9,3,3,,1,2\n9,6,6,,3,4\n'],
    [
      'may hold line ends in quotes',
      'a,b\n"1\n\r\n",2\n3,"4\n"',
      '9,2,4,,"1\n\r\n",2\n9,5,6,,3,"4\n"\n',
    ],
    [
      'may hold delimiters and quotes in quotes',
      'a,b\n",""",""""\n"",\n',
      '9,2,2,,",""",""""\n9,3,3,,"",\n',
    ],
    ['keep quotes inside a value', 'a,b\n5" nail, "x"\n', '9,2,2,,5" nail, "x"\n'],
    [
      'are refused unless they have two columns',
      'a,b\n1\n1,2,3\n"1\n"\n1,2',
      '9,2,2,"expected 2 columns, got 1",,\n9,3,3,"expected 2 columns, got 3",,\n9,4,5,"expected 2 columns, got 1",,\n9,6,6,,1,2\n',
    ],
    [
      'with text after a closing quote end where their line ends',
      'a,b\n"1"x\n",2\n3,4\n',
      '9,2,2,"expected a delimiter or a line end after a closing quote",,\n9,3,5,"expected a closing quote",,\n',
    ],
    [
      'are refused for a CR alone, but not in quotes',
      'a,b\n1\r,2\n"\r",2\r',
      '9,2,2,"expected an LF after a CR outside of quotes",,\n9,3,3,"expected an LF after a CR outside of quotes",,\n',
    ],
    [
      'with quotes left open go on to the end',
      'a,b\n1,"2\n3,4\n5,6',
      '9,2,4,"expected a closing quote",,\n',
    ],
  ])('%s', async (_, text, framed) => {
    expect(await frameCsv(text)).toBe(framed)
  })

  test('may have another delimiter', async () => {
    expect(await frameCsv('a|b\n1,2|"3|4"\n5|6|7', '|')).toBe(
      '9|2|2||1,2|"3|4"\n9|3|3|"expected 2 columns, got 3"||\n',
    )
  })

  test('keep any quoted value', async () => {
    const value = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', '\r\n', 'é') })
    const rows = fc.array(fc.tuple(value, value), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 9 }), async (written, size) => {
        const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
        const lines = written.map((row) => row.map(quote).join(','))
        const writer = createPieceWriter(1, ',', 2)
        const framed = await frame(
          `a,b\n${lines.join('\n')}\n`,
          size,
          writer,
          csvRows(2, ',', writer),
        )
        let line = 2
        const expected = lines.map((text) => {
          const first = line
          line += text.split('\n').length
          return `1,${first},${line - 1},,${text}\n`
        })
        expect(framed).toBe(expected.join(''))
        expect(writer.rows()).toBe(written.length)
      }),
      { numRuns: 200 },
    )
  })

  test('take their names from a header, which may be quoted and begin with a byte order mark', async () => {
    const read = (text: string) => readCsvHeader('file', chunksOf(text, 3), ';')
    expect(await read('\u{feff}a;"b;""\n";c')).toEqual(['a', 'b;"\n', 'c'])
    expect(await read('a\r\n1')).toEqual(['a'])
    for (const text of ['', '\na', '"a', '"a"b\n']) {
      await expect(read(text)).rejects.toThrow(
        'file:1: expected a header row that names the columns',
      )
    }
  })
})

describe('rows of JSON lines', () => {
  test('are written as CSV, and keep every digit of a number', async () => {
    const lines = [
      '{"a":1.10,"b":"x"}',
      ' { "b" : "\\"\\u00e9\\n" , "a" : 12345678901234567890.123 } \r',
      '',
      '{"a":null,"__proto__":true}',
      '{"a":"","b":-0.0e+00}',
      '{"c":1}',
      '{"a":1,"\\u0061":2}',
      '{"a":{}}',
      '{',
    ]
    const plain = 'expected a JSON object of texts, numbers, true, false and null'
    for (const size of [1, 5, 1000]) {
      const writer = createPieceWriter(1, ',', 3)
      const format = jsonRows(['a', 'b', '__proto__'], writer)
      expect(await frame(lines.join('\n'), size, writer, format)).toBe(
        `1,1,1,,"1.10","x",
1,2,2,,"12345678901234567890.123","""é\n",
1,4,4,,,,"true"
1,5,5,,"","-0.0e+00",
1,6,6,"expected no column c",,,
1,7,7,"expected each column once",,,
1,8,8,"${plain}",,,
1,9,9,"${plain}",,,
`,
      )
    }
  })

  test('take their names from the first row', async () => {
    const read = (text: string) => readFirstMembers(chunksOf(text, 2))
    expect(await read('\n \n{"a":1,"é":null}\n{"b":1}')).toEqual(['a', 'é'])
    for (const text of ['', '[]', '{"a":{}}', 'x\n{"a":1}']) expect(await read(text)).toEqual([])
  })
})
