import { InvalidSettings } from '../errors/counterfoil-error.ts'

/**
 * Parses the URL of an endpoint: `https:`, or `http:` to this machine. `allowPlainHttp` allows `http:` to any machine.
 * Throws `InvalidSettings`, with a message that begins with the name of the setting.
 */
export function parseEndpoint(text: string, allowPlainHttp: boolean, setting = 'endpoint'): URL {
  const invalid = (expected: string) => new InvalidSettings(`${setting}: ${expected}`)
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw invalid(`expected a URL that begins with https://, got ${JSON.stringify(text)}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid('expected a URL without a user name or password: a key signs the requests')
  }
  if (url.protocol === 'http:' && !allowPlainHttp && !isLoopback(url.hostname)) {
    throw invalid(
      `expected https:, got http: to ${url.hostname}: anybody on the way can read plain HTTP`,
    )
  }
  return url
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname)
}
