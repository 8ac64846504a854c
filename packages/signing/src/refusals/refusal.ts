/** The steps of verification, in order. */
export type VerificationStep =
  | 'header'
  | 'parameters'
  | 'timestamp'
  | 'nonce'
  | 'consumer'
  | 'body-hash'
  | 'signature'

/** Every refusal code with the step that refuses. The codes are stable. */
export const REFUSAL_STEPS = {
  'header-missing': 'header',
  'header-too-long': 'header',
  'header-scheme': 'header',
  'header-malformed': 'header',
  'header-encoding': 'header',
  'header-repeated': 'header',
  'header-parameters': 'header',
  'parameter-missing': 'header',
  'signature-method': 'header',
  'oauth-version': 'header',
  'signature-base64': 'header',
  'signature-length': 'header',
  url: 'parameters',
  'form-encoding': 'parameters',
  'query-encoding': 'parameters',
  'form-too-long': 'parameters',
  'too-many-parameters': 'parameters',
  'oauth-parameter': 'parameters',
  'timestamp-malformed': 'timestamp',
  'timestamp-unit': 'timestamp',
  'timestamp-range': 'timestamp',
  'timestamp-forgotten': 'timestamp',
  'nonce-malformed': 'nonce',
  'nonce-replayed': 'nonce',
  'consumer-unknown': 'consumer',
  'consumer-key-missing': 'consumer',
  token: 'consumer',
  'body-hash-missing': 'body-hash',
  'body-hash-with-form': 'body-hash',
  'body-hash-malformed': 'body-hash',
  'body-hash-mismatch': 'body-hash',
  'signature-key-length': 'signature',
  'json-as-form': 'signature',
  'signature-mismatch': 'signature',
} as const satisfies Record<string, VerificationStep>

/** Why a request is refused. */
export type RefusalCode = keyof typeof REFUSAL_STEPS

/** Why a request is refused, in parts that a program can use. */
export interface Fault {
  readonly code: RefusalCode
  /** What the verifier expected, as the end of a sentence. */
  readonly expected: string
  /** What the request has instead: truncated, without secrets, signatures or card numbers. */
  readonly got?: string
}

/** Writes a fault as one sentence. */
export function sentenceOf({ expected, got }: Omit<Fault, 'code'>): string {
  return got === undefined ? `expected ${expected}` : `expected ${expected}, got ${got}`
}
