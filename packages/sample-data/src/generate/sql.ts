import { literal } from '@counterfoil/engine'

/** Derived columns: the SQL of each name. */
export type Columns = Readonly<Record<string, string>>

/**
 * A query for the `wanted` columns. The source has the `sourceColumns`, and derived columns may use each other in any
 * order. A column that uses another one is in a query around that column's query. The engine names an expression by its
 * complete text, including tables, and would otherwise plan for seconds.
 */
export function selectLayered(
  source: string,
  sourceColumns: readonly string[],
  made: Columns,
  wanted: readonly string[],
): string {
  const uses = new Map(Object.entries(made).map(([name, sql]) => [name, namesIn(sql)]))
  const layers = layersOf(uses)
  const known = [...sourceColumns]
  return layers.reduce((inner, names, at) => {
    const later = layers
      .slice(at + 1)
      .flatMap((layer) => layer.flatMap((name) => uses.get(name) ?? []))
    const needed = new Set([...later, ...wanted])
    const carried = known.filter((name) => needed.has(name))
    known.push(...names)
    const columns = names.map((name) => `${made[name]} AS ${name}`)
    return `SELECT ${[...carried, ...columns].join(',\n')} FROM (${inner})`
  }, source)
}

/** Puts the columns into layers. Each layer uses only earlier layers. */
function layersOf(uses: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const depths = new Map<string, number>()
  const depthOf = (name: string): number => {
    const known = depths.get(name)
    if (known !== undefined) return known
    const below = (uses.get(name) ?? []).filter((used) => uses.has(used)).map(depthOf)
    const depth = 1 + Math.max(-1, ...below)
    depths.set(name, depth)
    return depth
  }
  const layers: string[][] = []
  for (const name of uses.keys()) (layers[depthOf(name)] ??= []).push(name)
  return layers
}

function namesIn(sql: string): readonly string[] {
  return sql.replaceAll(/'(?:[^'\\]|\\.)*'/g, '').match(/[a-z_]\w*/gi) ?? []
}

/** The purposes of hashes. Hashes of one number with different purposes are independent. */
const PURPOSES = [
  'lag',
  'party',
  'choice',
  'time',
  'delay',
  'outcome',
  'outage',
  'issuer',
  'card',
  'person',
  'method',
  'price',
  'part',
  'rate',
  'text',
] as const

/** A hash of the seed and of `of`, such as a row's number. */
export function hash(purpose: (typeof PURPOSES)[number], ...of: readonly string[]): string {
  return `cityHash64({seed:UInt64}, ${PURPOSES.indexOf(purpose)}, ${of.join(', ')})`
}

/** One of four independent draws of a hash: a whole number below `count`, which is at most 65,536. */
export function draw(hashed: string, quarter: 0 | 1 | 2 | 3, count: number): string {
  return `bitShiftRight(bitAnd(bitShiftRight(${hashed}, ${16 * quarter}), 65535) * ${count}, 16)`
}

/** One of two independent draws of a hash: a whole number below `count`, a column or a number of at most 2^32. */
export function drawLarge(hashed: string, half: 0 | 1, count: number | string): string {
  return `bitShiftRight(bitAnd(bitShiftRight(${hashed}, ${32 * half}), 4294967295) * (${count}), 32)`
}

/** A value, or NULL if a condition is false. */
export function when(condition: string, value: string): string {
  return `if(${condition}, ${value}, NULL)`
}

/** The value of a table at an index from 0. */
export function pick(table: readonly (number | string | null)[], index: string): string {
  return `[${table.map(constant).join(',')}][${index} + 1]`
}

/** A property of the element at an index from 0. */
export function pluck<Item, Key extends keyof Item>(
  items: readonly (Item & Readonly<Record<Key, number | string | null>>)[],
  key: Key,
  index: string,
): string {
  const values = items.map((item): number | string | null => item[key])
  return pick(values, index)
}

/**
 * The quantile of a draw of 65,536, from a table of equidistant quantiles, with linear interpolation in whole numbers.
 * The number of intervals is a power of two. `offset` is the start of the table in a list of several tables.
 */
export function quantile(
  table: readonly number[],
  drawn: string,
  intervals: number,
  offset = '0',
): string {
  const bits = 16 - Math.log2(intervals)
  const at = `${offset} + bitShiftRight(${drawn}, ${bits})`
  const [low, high] = [pick(table, at), pick(table, `${at} + 1`)]
  return `${low} + bitShiftRight((${high} - ${low}) * bitAnd(${drawn}, ${2 ** bits - 1}), ${bits})`
}

/** Rounds `amount / divisor` to the nearest multiple of a unit, halves up. All values are whole and not negative. */
export function rounded(amount: string, unit: string, divisor = 1): string {
  return `intDiv(2 * (${amount}) + ${divisor} * ${unit}, ${2 * divisor} * ${unit}) * ${unit}`
}

function constant(value: number | string | null): string {
  if (value === null) return 'NULL'
  return typeof value === 'number' ? String(value) : literal(value)
}
