/** Why a TLS connection failed. */
export type TlsFault = 'untrusted' | 'other-host' | 'not-valid-now' | 'no-tls'

const FAULTS: ReadonlyMap<unknown, TlsFault> = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'untrusted'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'untrusted'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'untrusted'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'untrusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'untrusted'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'other-host'],
  ['CERT_HAS_EXPIRED', 'not-valid-now'],
  ['CERT_NOT_YET_VALID', 'not-valid-now'],
])

/**
 * Finds the TLS fault in an error of Node, such as the `cause` of a `network-error`. Returns undefined for an error with
 * another cause.
 *
 * @example
 * tlsFaultOf(Object.assign(new Error('expired'), { code: 'CERT_HAS_EXPIRED' })) // 'not-valid-now'
 * tlsFaultOf(new Error('no answer')) // undefined
 */
export function tlsFaultOf(error: unknown): TlsFault | undefined {
  const first = firstOf(error)
  if (!(first instanceof Error) || !('code' in first)) return undefined
  // The server does not speak TLS, so OpenSSL fails to parse its answer.
  if (/wrong version number|packet length too long/.test(first.message)) return 'no-tls'
  return FAULTS.get(first.code)
}

/** Node gives this advice for every certificate that it does not trust. It does not help with `--ca`. */
const NODE_ADVICE =
  /[;,.]? *if the root CA is installed locally, try running Node\.js with +--use-system-ca\.?/i

/** Describes the TLS fault of a host. Returns undefined for an error with another cause. */
export function describeTlsFault(error: unknown, host: string): string | undefined {
  const fault = tlsFaultOf(error)
  if (fault === undefined) return undefined
  const certificate = `the certificate of ${host}`
  // Node adds the certificate to its error.
  const { message, cert } = Object(firstOf(error))
  if (fault === 'no-tls') return `${host} does not speak TLS`
  if (fault === 'other-host') {
    return `${certificate} is for ${String(Object(cert).subjectaltname ?? 'other hosts')}`
  }
  const reason = String(message).replace(NODE_ADVICE, '')
  return fault === 'untrusted'
    ? `this machine does not trust ${certificate}: ${reason}`
    : `${certificate} is not valid now: ${reason}`
}

/** Returns the first error of a host with several addresses, which fails with one error for each. */
function firstOf(error: unknown): unknown {
  return error instanceof AggregateError ? error.errors[0] : error
}

export function reasonOf(cause: unknown): string {
  // A host with several addresses fails with one error for each, and an outer error without a message.
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join('; ')
  if (!(cause instanceof Error)) return String(cause)
  // `fetch` hides the reason in the cause of its error.
  return cause.cause instanceof Error ? reasonOf(cause.cause) : cause.message.trimEnd()
}
