/**
 * Selects all columns of a table and layers of definitions. Each layer uses the layers below it. In a single `SELECT`,
 * the engine would expand every definition wherever its name appears.
 */
export function selectLayers(table: string, layers: readonly (readonly string[])[]): string {
  return layers
    .filter(({ length }) => length > 0)
    .reduce(
      (below, layer) => `SELECT *, ${layer.join(',\n')} FROM (${below})`,
      `SELECT * FROM ${table}`,
    )
}
