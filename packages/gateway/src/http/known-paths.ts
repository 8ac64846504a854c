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
  return (path) => {
    const found = methods.get(path) ?? methods.get(path.replace(/\/[^/]+$/, ANY_SEGMENT))
    if (found !== undefined) return found
    throw new GatewayError('not-found', 'expected a path that /.well-known/counterfoil tells')
  }
}
