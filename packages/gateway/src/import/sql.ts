/** A literal of SQL, whatever is in the text. */
export function literal(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** A literal of a list of texts. */
export function literals(texts: readonly string[]): string {
  return `[${texts.map(literal).join(', ')}]`
}

/** A `SETTINGS` clause. */
export function settingsClause(settings: Readonly<Record<string, number | string>>): string {
  return `SETTINGS ${Object.entries(settings)
    .map(([name, value]) => `${name} = ${typeof value === 'number' ? value : literal(value)}`)
    .join(', ')}`
}

/**
 * All columns of a table, and what is defined of them layer by layer, each upon the ones below it. In one `SELECT` the
 * engine would put every definition in the place of its name, again and again.
 */
export function selectLayers(table: string, layers: readonly (readonly string[])[]): string {
  return layers
    .filter(({ length }) => length > 0)
    .reduce(
      (below, layer) => `SELECT *, ${layer.join(',\n')} FROM (${below})`,
      `SELECT * FROM ${table}`,
    )
}
