/** Prints rows as lines with aligned columns. The last column wraps at the width of the lines. */
export function table(
  rows: readonly (readonly string[])[],
  { indent = 0, width = 80 }: { readonly indent?: number; readonly width?: number } = {},
): string {
  const columns = Math.max(0, ...rows.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, at) => {
    return Math.max(...rows.map((row) => row[at]?.length ?? 0))
  })
  const start = widths.slice(0, -1).reduce((sum, each) => sum + each + GAP, indent)
  const lines = rows.flatMap((row) => {
    const before = row.slice(0, -1).map((cell, at) => cell.padEnd((widths[at] ?? 0) + GAP))
    const [first = '', ...rest] = wrap(row.at(-1) ?? '', Math.max(NARROWEST, width - start))
    const head = (' '.repeat(indent) + before.join('') + first).trimEnd()
    return [head, ...rest.map((line) => ' '.repeat(start) + line)]
  })
  return lines.map((line) => `${line}\n`).join('')
}

const GAP = 2

/** The last column may reach beyond the width rather than be narrower. */
const NARROWEST = 20

/** Breaks a text at spaces into lines of a width. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`
    } else {
      lines.push(word)
    }
  }
  return lines
}
