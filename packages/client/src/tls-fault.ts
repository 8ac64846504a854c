/** Why a TLS connection could not begin. */
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

/** Finds out what was wrong with a TLS connection; nothing where an error has another cause. */
export function tlsFaultOf(error: unknown): TlsFault | undefined {
  const first = firstOf(error)
  if (!(first instanceof Error) || !('code' in first)) return undefined
  // What answers is no TLS, so OpenSSL reads nonsense.
  if (/wrong version number|packet length too long/.test(first.message)) return 'no-tls'
  return FAULTS.get(first.code)
}

/** What Node advises for every certificate that it does not trust: of no use beside `--ca`. */
const NODE_ADVICE =
  /[;,.]? *if the root CA is installed locally, try running Node\.js with +--use-system-ca\.?/i

/** Says what is wrong with the TLS of a host; nothing where an error has another cause. */
export function describeTlsFault(error: unknown, host: string): string | undefined {
  const fault = tlsFaultOf(error)
  if (fault === undefined) return undefined
  if (fault === 'no-tls') return `${host} does not speak TLS`
  if (fault === 'other-host') return `the certificate of ${host} is for ${namesIn(error)}`
  const first = firstOf(error)
  const reason = first instanceof Error ? first.message.replace(NODE_ADVICE, '') : ''
  const certificate = `the certificate of ${host}`
  return fault === 'untrusted'
    ? `this machine does not trust ${certificate}: ${reason}`
    : `${certificate} is not valid now: ${reason}`
}

/** A host with several addresses fails with an error for each. */
function firstOf(error: unknown): unknown {
  return error instanceof AggregateError ? error.errors[0] : error
}

/** The names in the certificate that Node adds to its error. */
function namesIn(error: unknown): string {
  const first = firstOf(error)
  const certificate = first instanceof Error && 'cert' in first ? first.cert : undefined
  const names = new Map(Object.entries(certificate ?? {})).get('subjectaltname')
  return typeof names === 'string' ? names : 'other hosts'
}
