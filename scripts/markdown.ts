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

/** Lists names as code: `a`, `b` or `c`. */
export function listOf(names: readonly string[], conjunction: 'and' | 'or'): string {
  const [last = '', ...others] = names.map(code).toReversed()
  return others.length === 0 ? last : `${others.toReversed().join(', ')} ${conjunction} ${last}`
}

/** Breaks a paragraph into lines of at most `columns` characters. */
export function wrapParagraph(text: string, columns = 120): string {
  return text.replaceAll(new RegExp(`(.{1,${columns}})(?: |$)`, 'g'), '$1\n').trim()
}
