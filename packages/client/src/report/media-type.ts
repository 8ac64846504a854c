/** A media type (RFC 9110, section 8.3.1), such as `text/csv` with its parameters. */
export interface MediaType {
  /** In lower case, without parameters. */
  readonly essence: string
  /** The parameters by their names in lower case. */
  readonly parameters: ReadonlyMap<string, string>
}

const TOKEN = "[!#$%&'*+.^_`|~\\w-]+"
const ESSENCE = new RegExp(`^\\s*(${TOKEN}/${TOKEN})\\s*(?:;|$)`)
const PARAMETER = new RegExp(`;\\s*(${TOKEN})=(?:"([^"]*)"|(${TOKEN}))`, 'g')

export function parseMediaType(text: string): MediaType | undefined {
  const [, essence] = ESSENCE.exec(text) ?? []
  if (essence === undefined) return undefined
  const parameters = Array.from(text.matchAll(PARAMETER), ([, name = '', quoted, token = '']) => {
    return [name.toLowerCase(), quoted ?? token] as const
  })
  return { essence: essence.toLowerCase(), parameters: new Map(parameters) }
}

/**
 * Whether the client counts the rows of a report with this `Content-Type`: those of CSV only.
 *
 * @example
 * countsRows('text/csv; charset=UTF-8') // true
 * countsRows('application/pdf') // false
 */
export function countsRows(contentType: string): boolean {
  return parseMediaType(contentType)?.essence === 'text/csv'
}
