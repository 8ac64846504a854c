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
