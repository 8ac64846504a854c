import { tmpdir } from 'node:os'
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { createProgram } from '../src/create-program.ts'
import { runHere } from './run-command.ts'

const PLACE = { folder: tmpdir() }

test('explains its exit codes and shows an example in its help', async () => {
  const help = await runHere(['report', '--help'], PLACE)
  expect(help.code).toBe(0)
  expect(help.stdout).toMatch(/Exit codes:\n( {2}[0-7] {4}.*\n){8} {2}130 /)
  expect(await runHere(['--version'], PLACE)).toMatchObject({ code: 0, stdout: '0.1.0\n' })
})

test('help prints the help of a command, and refuses an unknown one', async () => {
  const { code, stdout } = await runHere(['help', 'report'], PLACE)
  expect(stdout).toMatch(/^Usage: counterfoil report /)
  expect(code).toBe(0)
  expect(await runHere(['help', 'catalogue'], PLACE)).toMatchObject({ code: 2, stdout: '' })
})

const { env, stdin, stdout, stderr } = process
const { signal } = new AbortController()
const program = createProgram({ env, stdin, stdout, stderr, signal }, () => {})
const COMMANDS = [
  ['counterfoil', program],
  ...program.commands.map((command) => [`counterfoil ${command.name()}`, command] as const),
] as const

/** What `--help` prints on a terminal of 80 columns. */
function printedHelp(command: Command): string {
  let printed = ''
  command.configureOutput({ writeOut: (text) => (printed += text), getOutHelpWidth: () => 80 })
  command.outputHelp()
  return printed
}

describe.each(COMMANDS)('the help of %s', (name, command) => {
  const help = printedHelp(command)

  test('fits into 80 columns', () => {
    expect(help.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  test('has an example that begins with the command', () => {
    const [, example = ''] = /^Examples?\b.*:\n([^]*)/m.exec(help) ?? []
    expect(example).toContain(name)
  })
})
