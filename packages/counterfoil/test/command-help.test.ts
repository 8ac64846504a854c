import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { runHere } from './run-command.ts'

const PLACE = { folder: tmpdir() }

test('explains its exit codes and shows an example in its help', async () => {
  const help = await runHere(['report', '--help'], PLACE)
  expect(help.code).toBe(0)
  expect(help.stdout).toMatch(/Exit codes:\n( {2}[0-7] {4}.*\n){8} {2}130 /)
  const short = await runHere(['--help'], PLACE)
  expect(short).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('counterfoil report transactions-list'),
  })
  expect(await runHere(['--version'], PLACE)).toMatchObject({ code: 0, stdout: '0.1.0\n' })
})

test.each([
  ['help', 'call', 'transfer-by-ref'],
  ['help', 'report'],
])('%s %s prints the help of that command', async (...names) => {
  const { code, stdout } = await runHere(names, PLACE)
  expect(stdout).toMatch(new RegExp(`^Usage: counterfoil ${names.slice(1).join(' ')} `))
  expect(code).toBe(0)
})

test.each([[['help', 'catalogue']], [['catalogue', '--help']], [['call', 'catalogue', '--help']]])(
  'has no help for an unknown command: %j',
  async (options) => {
    expect(await runHere(options, PLACE)).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^counterfoil: unknown command 'catalogue'\n/),
    })
  },
)
