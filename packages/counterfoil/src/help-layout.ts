import { type Command, Help, type HelpConfiguration } from 'commander'
import { CONNECTION } from './command.ts'

/** The largest width of the options column. The description of a longer option starts on the next line. */
const TERM_WIDTH_MAX = 28
const INDENT = 2
const GAP = 2

/**
 * Lays out the help for terminals of 80 columns. Commander does not wrap a description beside a very long option, so
 * the terminal would break its words.
 */
export const HELP_LAYOUT: HelpConfiguration = {
  subcommandTerm: (command: Command) => command.name(),
  // Commander adds `--help` last, so without this a command without other options would show it below the connection.
  groupItems(unsorted, visible, groupOf) {
    const groups = new Help().groupItems(unsorted, visible, groupOf)
    const connection = groups.get(CONNECTION)
    groups.delete(CONNECTION)
    if (connection) groups.set(CONNECTION, connection)
    return groups
  },
  formatItem(term: string, termWidth: number, description: string, helper: Help): string {
    const width = Math.min(termWidth, TERM_WIDTH_MAX)
    const start = ' '.repeat(INDENT) + term
    if (description === '') return start
    const column = INDENT + width + GAP
    const lines = helper.boxWrap(description, (helper.helpWidth ?? 80) - column).split('\n')
    const below = lines.map((line) => ' '.repeat(column) + line)
    if (term.length > width) return [start, ...below].join('\n')
    return [start.padEnd(column) + lines[0], ...below.slice(1)].join('\n')
  },
}
