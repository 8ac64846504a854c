import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { createProgram } from './create-program.ts'
import { runProgram } from './run-program.ts'

const MAIN = join(import.meta.dirname, '../main.ts')

/** Lists a command and all visible commands below it, with their full names. */
function commandsOf(command: Command, above = ''): readonly (readonly [string, Command])[] {
  const name = `${above}${command.name()}`
  const children = command.createHelp().visibleCommands(command)
  const below = children.flatMap((child) => commandsOf(child, `${name} `))
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
    ...command
      .createHelp()
      .visibleCommands(command)
      .map((child) => child.summary()),
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

test('--version prints the version of the package', () => {
  let printed = ''
  const program = createProgram()
    .exitOverride()
    .configureOutput({ writeOut: (text) => (printed += text) })
  expect(() => program.parse(['node', 'main.ts', '--version'])).toThrow(manifest.version)
  expect(printed).toBe(`${manifest.version}\n`)
})

/** Runs the program in this process. */
async function run(...args: readonly string[]) {
  const printed = { stdout: '', stderr: '' }
  const program = createProgram()
  for (const [, command] of commandsOf(program)) {
    command.configureOutput({
      writeOut: (text) => (printed.stdout += text),
      writeErr: (text) => (printed.stderr += text),
    })
  }
  return { code: await runProgram(program, ['node', 'main.ts', ...args]), ...printed }
}

test('help takes a command and its subcommand', async () => {
  const { code, stdout } = await run('help', 'keys', 'add')
  expect(stdout).toMatch(/^Usage: counterfoil-gateway keys add /)
  expect(code).toBe(0)
  expect((await run('help', 'keys')).stdout).toMatch(/^Usage: counterfoil-gateway keys /)
  expect((await run('help')).stdout).toMatch(/^Usage: counterfoil-gateway \[/)
  expect((await run('keys', '--help')).stdout).toMatch(/^Usage: counterfoil-gateway keys /)
})

test.each([[['help', 'nosuch']], [['nosuch', '--help']], [['keys', 'nosuch', '--help']]])(
  'refuses help for an unknown command: %j',
  async (args) => {
    expect(await run(...args)).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: unknown command 'nosuch'\n/),
    })
  },
)

test('ends quietly when a reader closes its end early', { tags: ['long'] }, () => {
  const script = '("$0" "$1" help keys add; echo "code $?" >&2) 2>&1 >&3 | cat'
  const shell = `exec 3> >(exec true); sleep 0.2; ${script}`
  const printed = execFileSync('bash', ['-c', shell, process.execPath, MAIN], { encoding: 'utf8' })
  expect(printed).toBe('code 0\n')
})
