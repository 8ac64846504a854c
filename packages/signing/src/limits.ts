/** The lengths of RSA key that are accepted, in bits. */
export const RSA_BITS_MIN = 2048
export const RSA_BITS_MAX = 8192

/** The lengths of nonce that are accepted, in characters: RFC 5849's own examples have 6. */
export const NONCE_CHARACTERS_MIN = 1
export const NONCE_CHARACTERS_MAX = 128

/** How many parameters an Authorization header may hold, the realm not counted. */
export const HEADER_PARAMETERS_MAX = 32

/** How many parameters a query or a form may hold. */
export const FORM_PARAMETERS_MAX = 1000

/** How many live keys of one method a consumer may have; every refusal costs as many checks. */
export const LIVE_KEYS_MAX = 2
