import { randomUUID } from 'node:crypto'
import { literal } from '../dialect/literals.ts'
import type { EngineQuery, EngineValue } from '../engine/engine.ts'

// A server takes 1,000 fields (`http_max_fields`) of up to 128 KiB each (`http_max_field_value_size`).
const FIELD_BYTES_MAX = 128 * 1024 - 1
// A character has at most 4 bytes in a field.
const FIELD_LENGTH_MAX = 32_000

/**
 * Writes a query and its values as a form (`multipart/form-data`). A URL would be limited to 1 MiB, and would take
 * three characters for many a byte. A longer text is cut into several fields: the server joins the fields of a query,
 * and the query joins the fields of a value.
 */
export function writeForm({ sql, parameters }: Pick<EngineQuery, 'sql' | 'parameters'>): {
  readonly contentType: string
  readonly body: string
} {
  let text = sql
  const fields: [name: string, value: string][] = []
  for (const [name, value] of Object.entries(parameters)) {
    const parts = cutValue(value)
    const names = parts.length === 1 ? [name] : parts.map((_, index) => `_part${index}_${name}`)
    parts.forEach((part, index) => fields.push([`param_${names[index]}`, boundText(part)]))
    if (parts.length > 1) text = joinParts(text, name, names, value)
  }
  fields.unshift(
    ...cutText(text, FIELD_BYTES_MAX).map((piece): [string, string] => ['query', piece]),
  )
  const boundary = randomUUID()
  const written = fields.map(([name, value]) => {
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  })
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: `${written.join('')}--${boundary}--\r\n`,
  }
}

/** Writes a value as the HTTP interface reads it for a placeholder `{name:Type}`. */
function boundText(value: EngineValue): string {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return literal(value).slice(1, -1)
  return `[${value.map((one) => (typeof one === 'number' ? one : literal(one))).join(',')}]`
}

function joinParts(
  sql: string,
  name: string,
  names: readonly string[],
  value: EngineValue,
): string {
  const join = typeof value === 'string' ? 'concat' : 'arrayConcat'
  return sql.replaceAll(new RegExp(`\\{\\s*${name}\\s*:([^}]*)\\}`, 'g'), (_, type: string) => {
    return `${join}(${names.map((part) => `{${part}:${type}}`).join(', ')})`
  })
}

function cutValue(value: EngineValue): readonly EngineValue[] {
  if (typeof value === 'number') return [value]
  return typeof value === 'string' ? cutText(value) : cutList(value)
}

/**
 * Cuts a text into pieces. Keeps both halves of a character together.
 *
 * @param lengthMax the length of a piece whose characters have one byte each
 */
function cutText(text: string, lengthMax = FIELD_LENGTH_MAX): readonly string[] {
  const pieces: string[] = []
  for (let start = 0; start < text.length; start += pieces.at(-1)?.length ?? 0) {
    const isPlain = Buffer.byteLength(text.slice(start, start + lengthMax)) <= lengthMax
    const end = start + (isPlain ? lengthMax : FIELD_LENGTH_MAX)
    const isHalf = end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))
    pieces.push(text.slice(start, isHalf ? end - 1 : end))
  }
  return pieces.length === 0 ? [''] : pieces
}

function cutList(list: readonly (string | number)[]): readonly (readonly (string | number)[])[] {
  const pieces: (string | number)[][] = [[]]
  let length = 0
  for (const item of list) {
    // With its quotes and its comma.
    const itemLength = String(item).length + 3
    if (length > 0 && length + itemLength > FIELD_LENGTH_MAX) {
      pieces.push([])
      length = 0
    }
    pieces.at(-1)?.push(item)
    length += itemLength
  }
  return pieces
}
