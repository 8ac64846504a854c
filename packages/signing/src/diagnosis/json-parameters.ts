import { DIAGNOSED_LEVELS_MAX, DIAGNOSED_PARAMETERS_MAX } from '../refusals/limits.ts'
import type { Parameter } from '../parameters/parameter.ts'

/** A value of JSON. */
type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** How a program turns a member of a JSON object into parameters. */
export type JsonWriter = (name: string, value: Json) => readonly Parameter[]

/** How programs of several languages write the members of a JSON object as parameters. */
export const JSON_WRITERS: readonly JsonWriter[] = [
  // Nested values as JSON, with and without Python's spaces, and as JavaScript, Python and PHP print them.
  (name, value) => [[name, textOf(value, (nested) => JSON.stringify(nested))]],
  (name, value) => [[name, textOf(value, spacedJson)]],
  (name, value) => [[name, textOf(value, String)]],
  (name, value) => [[name, typeof value === 'string' ? value : pythonText(value)]],
  (name, value) => bracketed(name, value),
  (name, value) => (isNested(value) ? [] : [[name, textOf(value, String)]]),
  (name, value) => (typeof value === 'string' ? [[name, value]] : []),
]

/** Writes the members of a JSON object as parameters. Returns none for any other text, or one that nests deeper. */
export function jsonParameters(body: string, write: JsonWriter): readonly Parameter[] {
  const content = parse(body)
  if (!isNested(content) || Array.isArray(content)) return []
  if (isDeeper(content, DIAGNOSED_LEVELS_MAX)) return []
  const parameters: Parameter[] = []
  for (const [name, value] of Object.entries(content)) {
    parameters.push(...write(name, value))
    if (parameters.length > DIAGNOSED_PARAMETERS_MAX) return []
  }
  return parameters
}

function parse(body: string): Json {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

function textOf(value: Json, writeNested: (value: Json) => string): string {
  return isNested(value) ? writeNested(value) : String(value)
}

/** JSON as Python's `json.dumps` writes it. */
function spacedJson(value: Json): string {
  if (!isNested(value)) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`
  const members = Object.entries(value).map(([name, member]) => {
    return `${JSON.stringify(name)}: ${spacedJson(member)}`
  })
  return `{${members.join(', ')}}`
}

/** A value as Python's `str` writes it. */
function pythonText(value: Json): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'string') return value.includes("'") ? `"${value}"` : `'${value}'`
  if (!isNested(value)) return String(value)
  if (Array.isArray(value)) return `[${value.map(pythonText).join(', ')}]`
  const members = Object.entries(value).map(([name, member]) => {
    return `${pythonText(name)}: ${pythonText(member)}`
  })
  return `{${members.join(', ')}}`
}

/** A value as PHP's `http_build_query` writes it: `name[0][inner]`. */
function bracketed(name: string, value: Json): readonly Parameter[] {
  if (value === null) return []
  if (typeof value === 'boolean') return [[name, value ? '1' : '0']]
  if (!isNested(value)) return [[name, String(value)]]
  return Object.entries(value).flatMap(([inner, member]) => bracketed(`${name}[${inner}]`, member))
}

/** Whether a value is an array or an object. */
function isNested(value: Json): value is readonly Json[] | { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null
}

/**
 * Whether a value has more levels. Writing a value takes time for each pair of levels inside each other, also in
 * `JSON.stringify`.
 */
function isDeeper(value: Json, levels: number): boolean {
  if (!isNested(value)) return false
  return levels === 0 || Object.values(value).some((inner: Json) => isDeeper(inner, levels - 1))
}
