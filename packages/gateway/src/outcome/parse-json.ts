import { GatewayError } from '@counterfoil/common'

/**
 * Parses the JSON of a body. Its errors do not repeat the messages of the decoder and the parser, because these quote
 * the body, which must not get into the log.
 *
 * @throws `malformed-json`
 */
export function parseJson(body: Uint8Array): unknown {
  let json: string
  try {
    json = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw new GatewayError('malformed-json', 'expected a JSON object in UTF-8')
  }
  if (json.trim() === '') {
    throw new GatewayError('malformed-json', 'expected a JSON object, got an empty body')
  }
  try {
    return JSON.parse(json)
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    const where = / at position \d+ \(line \d+ column \d+\)$/.exec(message)?.[0]
    const hint = where === undefined ? '' : `; the first fault is${where}`
    throw new GatewayError('malformed-json', `expected a well-formed JSON object${hint}`)
  }
}
