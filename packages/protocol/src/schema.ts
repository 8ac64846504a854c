import * as z from 'zod/mini'

/** The schema of JSON. */
export type JsonSchema = z.core.$ZodType

/** The type of the JSON that a schema accepts, read-only at every depth. */
export type ValueOf<Schema extends JsonSchema> = Frozen<z.input<Schema>>

/** The type of what a schema makes of JSON: with defaults, and read-only at every depth. */
export type OutputOf<Schema extends JsonSchema> = Frozen<z.output<Schema>>

type Frozen<Value> = Value extends readonly (infer Element)[]
  ? readonly Frozen<Element>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Frozen<Value[Name]> }
    : Value

/**
 * Whether a value parsed from JSON has the shape of a schema. It may have more members: a newer gateway may send them.
 *
 * @example
 * conforms(runSchema, { runId: 'request-1' }) // false
 */
export function conforms<Schema extends JsonSchema>(
  schema: Schema,
  value: unknown,
): value is ValueOf<Schema> {
  return z.safeParse(schema, value).success
}

/** Describes a schema in the OpenAPI document. */
export function describe<Schema extends JsonSchema>(schema: Schema, description: string): Schema {
  z.globalRegistry.add(schema, { description })
  return schema
}

/** Creates the schema of a member that may be absent, with its description. */
export function optional<Schema extends JsonSchema>(
  schema: Schema,
  description: string,
): z.ZodMiniExactOptional<Schema> {
  return z.exactOptional(describe(schema, description))
}

/** Creates the schema of a list of texts. */
export function texts(): z.ZodMiniArray<z.ZodMiniString<string>> {
  return z.array(z.string())
}

/** Creates the schema of an object without other members, with the texts of its two faults. */
export function strictObject<const Shape extends z.core.$ZodShape>(
  shape: Shape,
  expected: string,
  known = `no such member, but ${Object.keys(shape).join(', ')}`,
): z.ZodMiniObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? known : expected),
  })
}
