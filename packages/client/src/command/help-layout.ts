import type { Help, HelpConfiguration } from 'commander'

/** How wide the column of options is at most; the description of a longer one stands below it. */
const TERM_WIDTH_MAX = 28
const INDENT = 2
const GAP = 2

/**
 * Lays out a help for terminals of 80 columns: commander itself wraps no description beside a very long option, and
 * the terminal then breaks its words.
 */
export const HELP_LAYOUT: HelpConfiguration = {
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
