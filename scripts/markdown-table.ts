/** Writes a table in Markdown. The content of a cell cannot break it. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]): string => {
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')).join(' | ')} |`
  }
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

/** Writes a text as code, and the empty text as the empty text. */
export function code(text = ''): string {
  return text === '' ? '' : `\`${text}\``
}
