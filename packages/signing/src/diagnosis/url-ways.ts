import type { Axis, Recipe, Way } from './recipe.ts'

const URL_PARTS = /^(https?):\/\/([^/]+?)(?::(\d+))?(\/.*)$/
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']
/** The ports of servers in development, and of proxies. */
const USUAL_PORTS = ['80', '443', '3000', '5000', '8000', '8080', '8081', '8443']

interface Address {
  readonly scheme: string
  readonly host: string
  readonly port: string | undefined
  readonly path: string
}

/** The URLs that callers sign by mistake. */
export const URL_WAYS: Axis = [
  [
    'url-scheme',
    change(({ scheme }) => ({ scheme: otherScheme(scheme) })),
    change(({ scheme }) => ({ scheme: otherScheme(scheme), port: undefined })),
  ],
  ['url-port-left-out', change(() => ({ port: undefined }))],
  [
    'url-default-port',
    change(({ scheme, port }) => ({ port: port ?? (scheme === 'http' ? '80' : '443') })),
  ],
  [
    'url-port',
    ({ url }, { host }) => (isHostOf(url, host) ? withHost(url, host) : undefined),
    ...USUAL_PORTS.map((port) => change(() => ({ port }))),
  ],
  [
    'url-host',
    ...LOOPBACK.map((host) =>
      change((from) => (LOOPBACK.includes(from.host) ? { host } : undefined)),
    ),
    ({ url }, { host }) => (isHostOf(url, host) ? undefined : withHost(url, host)),
    ({ url }, { host }) => {
      return isHostOf(url, host) ? undefined : withHost(url.replace(/^https:/, 'http:'), host)
    },
  ],
  [
    'url-host-case',
    change(({ host }) => ({ host: host.toUpperCase() })),
    change(({ host }) => ({
      host: host.replaceAll(/(?<![^.])[a-z]/g, (letter) => letter.toUpperCase()),
    })),
  ],
  [
    'url-trailing-slash',
    change(({ path }) => ({ path: path.endsWith('/') ? path.slice(0, -1) : `${path}/` })),
  ],
  [
    'url-path-case',
    change(({ path }) => ({ path: path.toLowerCase() })),
    ({ url }) => ({ url: url.toLowerCase() }),
    ({ url }) => ({ url: url.toUpperCase() }),
  ],
  [
    'url-path-encoding',
    change(({ path }) => ({ path: path.replaceAll('%', '%25') })),
    change(({ path }) => ({ path: decodeURIComponent(path) })),
    change(({ path }) => ({ path: encodeURI(decodeURIComponent(path)) })),
  ],
  [
    'url-with-query',
    ({ url, parameters }, { query, queryText }) => {
      if (queryText === '') return undefined
      const others = parameters.filter((parameter) => !query.includes(parameter))
      return { url: `${url}?${queryText}`, parameters: others }
    },
    ({ url }, { queryText }) => ({ url: `${url}?${queryText}` }),
  ],
  [
    'url-path-only',
    ({ url }) => ({ url: partsOf(url).path }),
    ({ url }) => ({ url: url.replace(/^https?:\/\//, '') }),
  ],
  [
    'url-base-path',
    change(({ path }) => ({ path: path.replace(/^\/[^/]+(?=\/)/, '') })),
    change(({ path }) => ({ path: path.replace(/^(\/[^/]+){2}(?=\/)/, '') })),
    change(() => ({ path: '/' })),
  ],
]

/** Mistakes with the method, and with the three parts of the base string. */
export const TEXT_WAYS: Axis = [
  [
    'method-lower-case',
    ({ method }) => ({ method: method.toLowerCase() }),
    ({ method }) => ({ method: method.slice(0, 1) + method.slice(1).toLowerCase() }),
  ],
  [
    'method-other',
    ...['GET', 'POST', 'PUT'].map(
      (method): Way =>
        () => ({ method }),
    ),
  ],
  [
    'base-string-line-end',
    ...['\n', '\r\n'].map(
      (end): Way =>
        ({ join }) => ({ join: (...parts) => join(...parts) + end }),
    ),
  ],
  [
    'base-string-not-encoded',
    encodeParts((text) => text),
    encodeParts((text, encode) => (text.startsWith('http') ? text : encode(text))),
    encodeParts((text, encode) => (text.startsWith('http') ? encode(text) : text)),
    encodeParts((text, encode) => encode(encode(text))),
  ],
  [
    'base-string-joined',
    joinParts((method, url, parameters) => `${method}&${url}?${parameters}`),
    ...['', '\n', '%26', ' & '].map((mark) => joinParts((...parts) => parts.join(mark))),
    ({ encodePart }) => ({ join: (...parts) => encodePart(parts.join('&')) }),
  ],
  [
    'base-string-part-missing',
    joinParts((_, url, parameters) => `${url}&${parameters}`),
    joinParts((method, _, parameters) => `${method}&${parameters}`),
    joinParts((_method, _url, parameters) => parameters),
    joinParts((_method, _url, parameters) => decodeURIComponent(parameters)),
    joinParts((method, url) => `${method}&${url}`),
    joinParts((method, url) => `${method}&${url}&`),
  ],
]

function change(edit: (address: Address) => Partial<Address> | undefined): Way {
  return ({ url }) => {
    const address = partsOf(url)
    const edited = edit(address)
    if (!edited) return undefined
    const { scheme, host, port, path } = { ...address, ...edited }
    return { url: `${scheme}://${host}${port === undefined ? '' : `:${port}`}${path}` }
  }
}

function partsOf(url: string): Address {
  const [, scheme = '', host = '', port, path = '/'] = URL_PARTS.exec(url) ?? []
  return { scheme, host, port, path }
}

function otherScheme(scheme: string): string {
  return scheme === 'http' ? 'https' : 'http'
}

/** Whether a host and port, as a request names them, are the URL's but for the port. */
function isHostOf(url: string, host: string | undefined): boolean {
  return host?.toLowerCase().replace(/:\d+$/, '') === partsOf(url).host
}

function withHost(url: string, host: string | undefined) {
  if (host === undefined) return undefined
  const { scheme, path } = partsOf(url)
  return { url: `${scheme}://${host.toLowerCase()}${path}` }
}

function encodeParts(encode: (text: string, right: Recipe['encodePart']) => string): Way {
  return ({ encodePart }) => ({ encodePart: (text) => encode(text, encodePart) })
}

function joinParts(join: Recipe['join']): Way {
  return () => ({ join })
}
