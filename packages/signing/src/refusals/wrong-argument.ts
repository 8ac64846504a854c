import { SigningError, type SigningErrorCode } from './signing-error.ts'

/** Creates the error for an argument of the wrong type. It names the type, never the value. */
export function wrongArgument(
  expected: string,
  value: unknown,
  code: SigningErrorCode = 'options',
): SigningError {
  return new SigningError(code, `expected ${expected}, got ${typeName(value)}`)
}

/** Throws `options` unless a value is a string. */
export function requireText(value: unknown, name: string): void {
  if (typeof value !== 'string') throw wrongArgument(`${name} as a string`, value)
}

/** Throws `options` unless a value is an object other than an array. */
export function requireRecord(value: unknown, name: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrongArgument(name, value)
  }
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (typeof value !== 'object') return `a ${typeof value}`
  // "[object Map]": works across realms, and reads nothing of the value.
  const tag = Object.prototype.toString.call(value).slice(8, -1)
  if (tag === 'Promise') return 'a Promise: await it first'
  if (tag === 'Object' || tag === 'Array') return `an ${tag.toLowerCase()}`
  return `a ${tag}`
}
