import { stringify } from 'yaml'
import type * as z from 'zod'

type JsonSchema = z.core.JSONSchema.BaseSchema

/** The fields of a schema with their defaults, as docs/configuration.md writes them. */
export function describeFields(schema: JsonSchema, prefix = ''): Map<string, string> {
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const field = member as JsonSchema
    const inner = field.type === 'array' ? (field.items as JsonSchema) : settingsOf(field)
    const path = `${prefix}${name}`
    const named = field.additionalProperties
    if (typeof named === 'object' && named.properties) {
      return [...describeFields(named, `${path}.<name>.`)]
    }
    if (inner.properties) {
      return [...describeFields(inner, field.type === 'array' ? `${path}[].` : `${path}.`)]
    }
    const isOptional = ['tls.', 'store.postgres.'].includes(prefix)
    const isRequired = schema.required?.includes(name) && !isOptional
    const fallback = field.default === undefined ? 'none' : stringify(field.default).trim()
    return [[path, isRequired ? 'required' : fallback] as const]
  })
  return new Map(fields)
}

/** The settings of a field that `false` switches off. */
function settingsOf(field: JsonSchema): JsonSchema {
  const shapes = (field.anyOf ?? []) as readonly JsonSchema[]
  return shapes.find(({ properties }) => properties) ?? field
}
