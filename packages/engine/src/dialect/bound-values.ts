import { literal } from './literals.ts'

/** Writes a value as the HTTP interface reads it for a placeholder `{name:Type}`. */
export function boundText(value: string | number | readonly (string | number)[]): string {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return literal(value).slice(1, -1)
  return `[${value.map((one) => (typeof one === 'number' ? one : literal(one))).join(',')}]`
}
