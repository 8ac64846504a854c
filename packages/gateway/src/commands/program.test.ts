import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { runHere } from '../../test/kit/run-here.ts'
import { createProgram } from './program.ts'

const MAIN = join(import.meta.dirname, '../main.ts')

/** Lists a command and all visible commands below it, with their full names. */
function commandsOf(command: Command, above = ''): readonly (readonly [string, Command])[] {
  const name = `${above}${command.name()}`
  const below = command.commands.flatMap((child) => commandsOf(child, `${name} `))
  return [[name, command], ...below]
}

/** Returns what `--help` prints on a terminal of 80 columns. */
function printedHelp(command: Command): string {
  let printed = ''
  command.configureOutput({ writeOut: (text) => (printed += text), getOutHelpWidth: () => 80 })
  command.outputHelp()
  return printed
}

/** Replaces line breaks and repeated spaces by one space. */
function onOneLine(text: string): string {
  return text.split(/\s+/).join(' ')
}

test.each(commandsOf(createProgram()))('the help of %s is complete', (name, command) => {
  const help = printedHelp(command)
  expect(help.split('\n').filter((line) => line.length > 80)).toEqual([])
  const options = command.options.filter(({ hidden }) => !hidden)
  const texts = [
    command.description(),
    ...[...options, ...command.registeredArguments].map(({ description }) => description),
    ...command.commands.map((child) => child.summary()),
  ]
  expect(texts).not.toContain('')
  // No word is broken.
  expect(texts.filter((text) => !onOneLine(help).includes(onOneLine(text)))).toEqual([])
  const [, example = ''] = /^Examples?\b.*:\n([^]*)/m.exec(help) ?? []
  expect(example).toContain(name)
  const unmarked = command.options
    .filter(({ mandatory }) => mandatory)
    .filter(({ description }) => !description.includes('(required)'))
  expect(unmarked.map(({ long }) => long)).toEqual([])
})

test('--version prints the version of the package', async () => {
  const stdout = `${manifest.version}\n`
  expect(await runHere('--version')).toEqual({ code: 0, stdout, stderr: '' })
})

test.each([
  [['help', 'keys'], /^Usage: counterfoil-gateway keys /, ''],
  [['nosuch'], /^$/, "error: unknown command 'nosuch'\n"],
  [['keys', 'nosuch'], /^$/, "error: unknown command 'nosuch'\n"],
])('answers %j', async (args, stdout, error) => {
  const ended = await runHere(...args)
  expect(ended).toEqual({
    code: error === '' ? 0 : 2,
    stdout: expect.stringMatching(stdout),
    stderr: expect.stringContaining(error),
  })
})

test('ends quietly when a reader closes its end early', { tags: ['long'] }, () => {
  const script = '("$0" "$1" help keys add; echo "code $?" >&2) 2>&1 >&3 | cat'
  const shell = `exec 3> >(exec true); sleep 0.2; ${script}`
  const printed = execFileSync('bash', ['-c', shell, process.execPath, MAIN], { encoding: 'utf8' })
  expect(printed).toBe('code 0\n')
})
