import { Help } from 'commander'

/** Writes a value as a line of JSON that cannot control a terminal. */
export function jsonLine(value: unknown): string {
  return `${escapeControls(JSON.stringify(value))}\n`
}

/** Escapes control characters in JSON, also those that reverse the direction of text. `JSON.stringify` escapes 32. */
export function escapeControls(code: string): string {
  return code.replaceAll(/[^\P{C}\n\t]/gu, (character) => {
    // Characters beyond U+FFFF have two escapes.
    return character.replaceAll(/[^]/g, (unit) => {
      return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
    })
  })
}

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

const help = Object.assign(new Help(), { minWidthToWrap: NARROWEST })

export function wrap(text: string, width: number): readonly string[] {
  return help.boxWrap(text.replaceAll(/\s+/g, ' '), width).split('\n')
}

const count = new Intl.NumberFormat('en')

const size = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

export function formatCount(number: number): string {
  return count.format(number)
}

/** A number with its noun: `1 row`, `1,200 rows`. */
export function countOf(number: number, one: string, many: string): string {
  return `${count.format(number)} ${number === 1 ? one : many}`
}

export function formatBytes(bytes: number): string {
  if (bytes === 1) return '1 byte'
  const units = ['bytes', 'kB', 'MB', 'GB']
  const power = bytes < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3))
  return `${size.format(bytes / 1000 ** power)} ${units[power]}`
}

/** Replaces control characters, so that no text of the gateway can control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[^\P{C}\n\t]/gu, '\u{FFFD}')
}

/** Replaces line ends too, so that no value can look like a line of the command. */
export function printableLine(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{FFFD}')
}
