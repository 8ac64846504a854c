import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { run as runProgram, runVitest } from './run-vitest.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-vitest-'))
  symlinkSync(join(import.meta.dirname, '../node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'vitest.config.js'), 'export default {}')
})

afterEach(() => rmSync(folder, { recursive: true }))

test('counts passed, failed and skipped tests, and files that do not load', async () => {
  writeTests('good', `test('a', () => {}); test.skip('b', () => {}); test.todo('c')`)
  writeTests('bad', `test('d', () => { throw new Error('marked') }); test('e', () => {})`)
  writeTests('broken', `throw new Error('no test was reached')`)
  const { output, ...counts } = await run()
  expect(counts).toEqual({ passed: 2, failed: 2, skipped: 2 })
  expect(output).toContain('marked')
})

test('a run without a test fails', async () => {
  expect(await run()).toMatchObject({ passed: 0, failed: 1 })
})

test('an error outside the tests fails', async () => {
  writeTests('late', `test('a', () => { Promise.reject(new Error('nobody waits')) })`)
  expect(await run()).toMatchObject({ passed: 1, failed: 1 })
})

test('a forgotten .only fails', async () => {
  writeTests('only', `test.only('a', () => {}); test('b', () => {})`)
  expect((await run()).failed).toBeGreaterThan(0)
})

test('a vitest that cannot be started fails', async () => {
  expect(await runVitest('no-such-node', [])).toMatchObject({ passed: 0, failed: 1 })
})

test('the temporary files of tests are in a folder that the run removes', async () => {
  const parent = join(folder, 'temporary')
  mkdirSync(parent)
  writeTests(
    'writes',
    `import { mkdtempSync, statSync } from 'node:fs'
    import { tmpdir } from 'node:os'
    test('a', ({ expect }) => {
      expect(mkdtempSync(tmpdir() + '/left-').startsWith(${JSON.stringify(parent)})).toBe(true)
      // Others may pass through the folder, but not list it.
      expect(statSync(tmpdir()).mode & 0o777).toBe(0o711)
    })`,
  )
  expect(await run(parent)).toMatchObject({ passed: 1, failed: 0 })
  expect(readdirSync(parent)).toEqual([])
})

test('prints each failure and each project as it ends', async () => {
  writeTests('bad', `test('d', () => { throw new Error('marked') }); test('e', () => {})`)
  writeTests('broken', `throw new Error('no test was reached')`)
  const module = JSON.stringify(join(import.meta.dirname, 'run-vitest.ts'))
  const options = JSON.stringify(['--root', folder])
  const script = `await (await import(${module})).runVitest(process.execPath, ${options})`
  const { output } = await runProgram(process.execPath, ['--input-type=module', '-e', script])
  const lines = output.split('\n').map((line) => line.trim())
  expect(lines).toEqual(
    expect.arrayContaining([
      'FAILED bad.test.js > d',
      'marked',
      'FAILED broken.test.js',
      'no test was reached',
    ]),
  )
  expect(lines.at(-2)).toMatch(/FAILED 1 tests, 2 failed$/)
})

function run(parent?: string) {
  return runVitest(process.execPath, ['--root', folder], parent)
}

function writeTests(name: string, text: string): void {
  writeFileSync(join(folder, `${name}.test.js`), `import { test } from 'vitest'\n${text}\n`)
}
