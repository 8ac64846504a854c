import { literal } from '@counterfoil/gateway'

/** Columns that are made of other columns: name → SQL. */
export type Columns = Readonly<Record<string, string>>

/**
 * A query for `wanted` columns over a source's `given` ones; those that are made may stand upon each other in any
 * order. A column that stands upon another one is made by a query around that one's: the engine names an expression by
 * its whole text, tables and all, and would otherwise plan for seconds.
 */
export function selectLayered(
  source: string,
  given: readonly string[],
  made: Columns,
  wanted: readonly string[],
): string {
  const uses = new Map(Object.entries(made).map(([name, sql]) => [name, namesIn(sql)]))
  const layers = layersOf(uses)
  const known = [...given]
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

/** The columns in layers, each of which stands upon earlier ones alone. */
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

/** What hashes are for: two hashes of the same number have nothing to do with each other. */
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

/** A hash of the seed and of what tells one from another, as a row's number. */
export function hash(purpose: (typeof PURPOSES)[number], ...of: readonly string[]): string {
  return `cityHash64({seed:UInt64}, ${PURPOSES.indexOf(purpose)}, ${of.join(', ')})`
}

/** One of four independent draws of a hash: a whole number below `count`, 65,536 at most. */
export function draw(hashed: string, quarter: 0 | 1 | 2 | 3, count: number): string {
  return `bitShiftRight(bitAnd(bitShiftRight(${hashed}, ${16 * quarter}), 65535) * ${count}, 16)`
}

/** One of two independent draws of a hash: a whole number below `count`, 2^32 at most, a column or a number. */
export function drawLarge(hashed: string, half: 0 | 1, count: number | string): string {
  return `bitShiftRight(bitAnd(bitShiftRight(${hashed}, ${32 * half}), 4294967295) * (${count}), 32)`
}

/** A value, or NULL where a condition does not hold. */
export function when(condition: string, value: string): string {
  return `if(${condition}, ${value}, NULL)`
}

/** The value of a table at an index that counts from 0. */
export function pick(table: readonly (number | string | null)[], index: string): string {
  return `[${table.map(constant).join(',')}][${index} + 1]`
}

/**
 * The quantile of a draw of 65,536, by a table of quantiles at equal distances, straight between them; whole numbers
 * throughout. The table has a power of two of intervals; `offset` is where it begins, of several in one.
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

/** An amount to the nearest multiple of a unit, halves up: `amount / divisor`, all of them whole and not negative. */
export function rounded(amount: string, unit: string, divisor = 1): string {
  return `intDiv(2 * (${amount}) + ${divisor} * ${unit}, ${2 * divisor} * ${unit}) * ${unit}`
}

function constant(value: number | string | null): string {
  if (value === null) return 'NULL'
  return typeof value === 'number' ? String(value) : literal(value)
}
