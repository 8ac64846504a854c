import { GatewayError } from '../errors.ts'

/** How a path ends whose last segment is the caller's to choose. */
export const ANY_SEGMENT = '/:segment'

/** Makes a look-up of the methods that a path takes. It throws `not-found` for any other path. */
export function knownPaths(
  posted: Iterable<string>,
  read: Iterable<string>,
): (path: string) => string {
  const methods = new Map<string, string>()
  for (const path of posted) methods.set(path, 'POST')
  for (const path of read) methods.set(path, 'GET, HEAD')
  const find = (path: string): string | undefined => {
    return methods.get(path) ?? methods.get(path.replace(/\/[^/]+$/, ANY_SEGMENT))
  }
  return (path) => {
    const found = find(path)
    if (found !== undefined) return found
    const isAlmost = path.endsWith('/') && find(path.slice(0, -1)) !== undefined
    const expected = isAlmost
      ? 'this path without the "/" at its end'
      : 'a path that the gateway serves: GET /.well-known/counterfoil shows them'
    throw new GatewayError('not-found', `expected ${expected}`)
  }
}
