import type { BaseStringMistake, Way } from './mistake.ts'

const URI = 'RFC 5849, 3.4.1.2'
const URL_PARTS = /^(https?):\/\/([^/]+?)(?::(\d+))?(\/.*)$/
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']
/** The ports of servers in development, and of proxies. */
const USUAL_PORTS = ['80', '443', '3000', '5000', '8000', '8080', '8081', '8443']
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' }

interface Address {
  readonly scheme: string
  readonly host: string
  readonly port: string | undefined
  readonly path: string
}

/** The URLs that callers sign by mistake. */
export const URL_MISTAKES = [
  {
    code: 'url-scheme',
    sentence: 'You signed http for https, or https for http.',
    fix: "Sign the scheme of the gateway's public address, also behind a proxy that ends TLS.",
    clause: URI,
    ways: [
      change((address) => ({ ...address, scheme: otherScheme(address) })),
      change((address) => ({ ...address, scheme: otherScheme(address), port: undefined })),
    ],
  },
  {
    code: 'url-port-left-out',
    sentence: 'You left the port out of the URL that you signed.',
    fix: 'Sign every port but 443 of https and 80 of http.',
    clause: URI,
    ways: [change((address) => ({ ...address, port: undefined }))],
  },
  {
    code: 'url-default-port',
    sentence: 'You signed the default port.',
    fix: 'Leave :443 of https and :80 of http out of the URL that you sign.',
    clause: URI,
    ways: [
      change(({ port, ...address }) => {
        return port === undefined ? { ...address, port: DEFAULT_PORTS[address.scheme] } : undefined
      }),
    ],
  },
  {
    code: 'url-port',
    sentence: 'You signed another port than that of the public address of the gateway.',
    fix: 'Sign the address that the gateway gives in /.well-known/counterfoil, with its port.',
    clause: URI,
    ways: [
      ({ url }, { host }) => (isHostOf(url, host) ? withHost(url, host) : undefined),
      ...USUAL_PORTS.map((port) => change((address) => ({ ...address, port }))),
    ],
  },
  {
    code: 'url-host',
    sentence: 'You signed another host than the public address of the gateway.',
    fix: 'Sign the address that the gateway gives in /.well-known/counterfoil, and send the request there.',
    clause: URI,
    ways: [
      ...LOOPBACK.map((host) => {
        return change((address) => (isLoopback(address) ? { ...address, host } : undefined))
      }),
      ({ url }, { host }) => (isHostOf(url, host) ? undefined : withHost(url, host)),
      ({ url }, { host }) => {
        return isHostOf(url, host) ? undefined : withHost(url.replace(/^https:/, 'http:'), host)
      },
    ],
  },
  {
    code: 'url-host-case',
    sentence: 'You signed the host with upper-case letters.',
    fix: 'Write the host in lower case in the URL that you sign.',
    clause: URI,
    ways: [
      change((address) => ({ ...address, host: address.host.toUpperCase() })),
      change((address) => ({ ...address, host: capitalised(address.host) })),
    ],
  },
  {
    code: 'url-trailing-slash',
    sentence: 'You signed the path with a slash at its end and sent it without, or the reverse.',
    fix: 'Sign the path exactly as you send it.',
    clause: URI,
    ways: [
      change(({ path, ...address }) => ({
        ...address,
        path: path.endsWith('/') ? path.slice(0, -1) : `${path}/`,
      })),
    ],
  },
  {
    code: 'url-path-case',
    sentence: 'You signed the path in another letter case than you sent it.',
    fix: 'Sign the path exactly as you send it.',
    clause: URI,
    ways: [
      change((address) => ({ ...address, path: address.path.toLowerCase() })),
      ({ url }) => ({ url: url.toLowerCase() }),
      ({ url }) => ({ url: url.toUpperCase() }),
    ],
  },
  {
    code: 'url-path-encoding',
    sentence: 'You encoded or decoded the path once more before you signed it.',
    fix: 'Sign the path exactly as you send it.',
    clause: URI,
    ways: [
      change((address) => ({ ...address, path: address.path.replaceAll('%', '%25') })),
      change((address) => ({ ...address, path: decodeURIComponent(address.path) })),
      change((address) => ({ ...address, path: encodeURI(decodeURIComponent(address.path)) })),
    ],
  },
  {
    code: 'url-with-query',
    sentence: 'You left the query in the URL that you signed.',
    fix: "Sign the URL without its query, and the query's parameters with the other parameters.",
    clause: URI,
    ways: [
      ({ url, parameters }, { query, queryText }) => {
        if (queryText === '') return undefined
        const others = parameters.filter((parameter) => !query.includes(parameter))
        return { url: `${url}?${queryText}`, parameters: others }
      },
      ({ url }, { queryText }) => {
        return queryText === '' ? undefined : { url: `${url}?${queryText}` }
      },
      ({ url }) => ({ url: `${url}?` }),
    ],
  },
  {
    code: 'url-path-only',
    sentence: 'You signed the path instead of the URL.',
    fix: 'Sign scheme, host and path.',
    clause: URI,
    ways: [
      ({ url }) => ({ url: partsOf(url).path }),
      ({ url }) => ({ url: url.replace(/^https?:\/\//, '') }),
    ],
  },
  {
    code: 'url-base-path',
    sentence: 'You signed the URL without the first part of its path, as behind a proxy.',
    fix: "Sign the gateway's public URL with its complete path.",
    clause: URI,
    ways: [
      change((address) => ({ ...address, path: address.path.replace(/^\/[^/]+(?=\/)/, '') })),
      change((address) => ({ ...address, path: address.path.replace(/^(\/[^/]+){2}(?=\/)/, '') })),
      change((address) => ({ ...address, path: '/' })),
    ],
  },
] as const satisfies readonly BaseStringMistake[]

function change(edit: (address: Address) => Address | undefined): Way {
  return ({ url }) => {
    const address = edit(partsOf(url))
    if (!address) return undefined
    const port = address.port === undefined ? '' : `:${address.port}`
    return { url: `${address.scheme}://${address.host}${port}${address.path}` }
  }
}

function partsOf(url: string): Address {
  const [, scheme = '', host = '', port, path = '/'] = URL_PARTS.exec(url) ?? []
  return { scheme, host, port, path }
}

function otherScheme({ scheme }: Address): string {
  return scheme === 'http' ? 'https' : 'http'
}

function isLoopback({ host }: Address): boolean {
  return LOOPBACK.includes(host)
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

function capitalised(host: string): string {
  return host.replaceAll(/(?<![^.])[a-z]/g, (letter) => letter.toUpperCase())
}
