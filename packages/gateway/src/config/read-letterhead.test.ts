import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { png } from '../../../formats/test/kit/png.ts'
import { readLetterhead } from './read-letterhead.ts'

const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
afterAll(() => rmSync(folder, { recursive: true }))

function read(logo?: string) {
  const pdf = { rowsMax: 1, taggedRowsMax: 1, letterhead: { name: 'Acme', address: [], logo } }
  return readLetterhead({ formats: { pdf } })
}

test('reads the logo of a letterhead', () => {
  const logo = join(folder, 'logo.png')
  writeFileSync(logo, png(3, 2))
  expect(read(logo)).toMatchObject({ name: 'Acme', logo: { width: 3, height: 2 } })
  expect(read()).toEqual({ name: 'Acme', address: [] })
})

test('refuses a logo that no PDF can hold', () => {
  const logo = join(folder, 'clear.png')
  writeFileSync(logo, png(3, 2, { color: 6 }))
  const what = `formats.pdf.letterhead.logo: cannot use ${logo}: expected a PNG without transparency`
  expect(() => read(logo)).toThrow(what)
  expect(() => read(join(folder, 'none.png'))).toThrow('no such file')
})
