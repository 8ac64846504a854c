/** Writes a table in Markdown; what a cell holds cannot break it. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]): string => {
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')).join(' | ')} |`
  }
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

/** Writes a text as code; nothing for nothing. */
export function code(text = ''): string {
  return text === '' ? '' : `\`${text}\``
}
