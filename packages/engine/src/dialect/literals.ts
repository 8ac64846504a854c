/** Writes any text as a literal of SQL. */
export function literal(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")
  return `'${escaped.replaceAll(/[\0-\x1f\x7f]/g, (character) => `\\x${hex(character)}`)}'`
}

/** Writes a list of texts as a literal of SQL. */
export function literals(texts: readonly string[]): string {
  return `[${texts.map(literal).join(', ')}]`
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(2, '0')
}
