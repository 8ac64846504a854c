import { parseAuthorization } from '@counterfoil/signing'

/** Returns a parameter of an Authorization header, or undefined if it is missing, empty or malformed. */
export function parameterIn(authorization: string, wanted: string): string | undefined {
  try {
    const { parameters } = parseAuthorization(authorization)
    return parameters.find(([name]) => name === wanted)?.[1] || undefined
  } catch {
    return undefined
  }
}
