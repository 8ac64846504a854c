import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { CONNECTION, OPTIONS } from './command.ts'
import { idleProgram } from '../test/idle-program.ts'

/** A command and all below it, with their names from the program's on. */
function commandsOf(command: Command, above = ''): readonly (readonly [string, Command])[] {
  const name = `${above}${command.name()}`
  const below = command.commands.flatMap((child) => commandsOf(child, `${name} `))
  return [[name, command], ...below]
}

/** What `--help` prints on a terminal of 80 columns. */
function printedHelp(command: Command): string {
  let printed = ''
  command.configureOutput({ writeOut: (text) => (printed += text), getOutHelpWidth: () => 80 })
  command.outputHelp()
  return printed
}

/** The words of a text as they stand in it, whatever the line breaks between them. */
function wordsOf(text: string): string {
  return text.split(/\s+/).join(' ')
}

describe.each(commandsOf(idleProgram()))('the help of %s', (name, command) => {
  const help = printedHelp(command)

  test('fits into 80 columns', () => {
    expect(help.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  test('breaks no word', () => {
    const texts = [
      command.description(),
      ...command.options.filter(({ hidden }) => !hidden).map(({ description }) => description),
      ...command.registeredArguments.map(({ description }) => description),
      ...command.commands.map((child) => child.summary()),
    ]
    for (const text of texts) {
      expect(text).not.toBe('')
      expect(wordsOf(help)).toContain(wordsOf(text))
    }
  })

  test('shows the options of the connection last', () => {
    const headings = help.split('\n').filter((line) => line === CONNECTION || line === OPTIONS)
    expect(headings).toEqual(headings.includes(CONNECTION) ? [OPTIONS, CONNECTION] : [OPTIONS])
  })

  test('has an example that begins with the command', () => {
    const [, example = ''] = /^Examples?\b.*:\n([^]*)/m.exec(help) ?? []
    expect(example).toContain(name)
  })
})
