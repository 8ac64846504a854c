/** A value of JSON. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json }

/** Whether a value is an array or an object. */
export function isNested(
  value: Json,
): value is readonly Json[] | { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null
}

/**
 * Whether a value has more levels. Writing a value takes time for each pair of levels inside each other, also in
 * `JSON.stringify`.
 */
export function isDeeper(value: Json, levels: number): boolean {
  if (!isNested(value)) return false
  return levels === 0 || Object.values(value).some((inner: Json) => isDeeper(inner, levels - 1))
}
