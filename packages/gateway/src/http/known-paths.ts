import { GatewayError } from '@counterfoil/common'

/** The end of a path whose last segment may be any text. */
export const ANY_SEGMENT = '/:segment'

/** Returns a function that looks up the methods of a path, and throws `not-found` for an unknown path. */
export function knownPaths(
  signed: ReadonlyMap<string, { readonly methods?: readonly string[] }>,
  read: Iterable<string>,
): (path: string) => string {
  const methodsByPath = new Map<string, string>()
  for (const [path, { methods = ['POST'] }] of signed) methodsByPath.set(path, methods.join(', '))
  for (const path of read) methodsByPath.set(path, 'GET, HEAD')
  const find = (path: string): string | undefined => {
    return methodsByPath.get(path) ?? methodsByPath.get(path.replace(/\/[^/]+$/, ANY_SEGMENT))
  }
  return (path) => {
    const methods = find(path)
    if (methods !== undefined) return methods
    const isAlmost = path.endsWith('/') && find(path.slice(0, -1)) !== undefined
    const expected = isAlmost
      ? 'this path without the "/" at its end'
      : 'a path that the gateway serves: GET /.well-known/counterfoil lists them'
    throw new GatewayError('not-found', `expected ${expected}`)
  }
}

/** Describes the methods of a path. A POST may be a report that was sent to the base URL. */
export function expectedMethods(methods: string, got: string): string {
  const hint = ' here; GET /.well-known/counterfoil shows the report URL'
  return `expected ${methods}${got === 'POST' ? hint : ''}`
}
