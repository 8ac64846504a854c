const HUNDREDTHS_CACHED = 200_000
const written: string[] = []

/** Writes a number with at most two fraction digits. */
export function pdfNumber(value: number): string {
  const hundredths = Math.round(value * 100)
  if (hundredths < 0 || hundredths >= HUNDREDTHS_CACHED) return String(hundredths / 100)
  const known = written[hundredths]
  if (known !== undefined) return known
  const text = String(hundredths / 100)
  written[hundredths] = text
  return text
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
