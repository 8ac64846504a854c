/** The lengths of RSA key that are accepted, in bits. */
export const RSA_BITS_MIN = 2048
export const RSA_BITS_MAX = 8192

/** The lengths of nonce that are accepted, in characters: RFC 5849's own examples have 6. */
export const NONCE_CHARACTERS_MIN = 1
export const NONCE_CHARACTERS_MAX = 128

/** The length of an Authorization header. */
export const HEADER_CHARACTERS_MAX = 16 * 1024

/** How many parameters an Authorization header may hold, the realm not counted. */
export const HEADER_PARAMETERS_MAX = 32

/** The length of a URL, query included. */
export const URL_CHARACTERS_MAX = 16 * 1024

/** The length of a URL's host and port: a host name has at most 253 characters. */
export const HOST_CHARACTERS_MAX = 300

/** The size of a form's body. */
export const FORM_BYTES_MAX = 1024 * 1024

/** How many parameters a query or a form may hold. */
export const FORM_PARAMETERS_MAX = 1000

/** The size of a body that a wrong body hash is compared with in other spellings. */
export const HASHED_HINT_BYTES_MAX = 16 * 1024

/** How many active keys of one method a consumer may have; every refusal costs as many checks. */
export const LIVE_KEYS_MAX = 2

/** How much of a request's value an error shows, in characters. */
export const SHOWN_CHARACTERS_MAX = 40

/** How many nonces of one login `createMemoryNonces` remembers. */
export const NONCES_PER_LOGIN_MAX = 100_000

/** How long `createMemoryNonces` remembers a nonce after its timestamp. */
export const NONCE_KEPT_SECONDS = 360
