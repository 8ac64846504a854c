const CACHED_MAX = 100_000
// Arrays of their final length: JavaScript keeps a sparse array as a map, which is slower.
const cached = Array.from<string | undefined>({ length: CACHED_MAX })
const cachedNegatives = Array.from<string | undefined>({ length: CACHED_MAX })

/** Writes a number with at most two fraction digits. */
export function pdfNumber(value: number): string {
  return pdfHundredths(Math.round(value * 100))
}

/** Writes a whole number of hundredths. Numbers of the size of pages are written once. */
export function pdfHundredths(hundredths: number): string {
  const size = Math.abs(hundredths)
  if (!(size < CACHED_MAX)) return String(hundredths / 100)
  const known = hundredths < 0 ? cachedNegatives : cached
  return (known[size] ??= String(hundredths / 100))
}

/** Writes a text string: UTF-16 with a byte order mark, in hexadecimal digits. */
export function pdfText(text: string): string {
  return `<${Buffer.from(`\ufeff${text}`, 'utf16le').swap16().toString('hex')}>`
}

/** Writes a time in UTC. */
export function pdfDate(instant: number): string {
  const digits = new Date(instant).toISOString().replaceAll(/\D/g, '').slice(0, 14)
  return `(D:${digits}Z)`
}

/** Writes a reference to an object. */
export function pdfRef(object: number): string {
  return `${object} 0 R`
}

/** Writes an array. */
export function pdfArray(elements: readonly (string | number)[]): string {
  return `[${elements.join(' ')}]`
}
