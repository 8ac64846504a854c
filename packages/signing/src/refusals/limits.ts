/** The shortest and the longest RSA key, in bits. */
export const RSA_BITS_MIN = 2048
export const RSA_BITS_MAX = 8192

/** The longest nonce. The examples in RFC 5849 have 6 characters. */
export const NONCE_CHARACTERS_MAX = 128

/** The longest Authorization header. */
export const HEADER_CHARACTERS_MAX = 16 * 1024

/** The most parameters in an Authorization header, without the realm. */
export const HEADER_PARAMETERS_MAX = 32

/** The longest URL, with its query. */
export const URL_CHARACTERS_MAX = 16 * 1024

/** The longest host and port of a URL. A host name has at most 253 characters. */
export const HOST_CHARACTERS_MAX = 300

/** The largest form body. */
export const FORM_BYTES_MAX = 1024 * 1024

/** The most parameters in a query or a form. */
export const FORM_PARAMETERS_MAX = 1000

/** The most active keys that a consumer may have for one method. Every refusal costs this number of checks. */
export const ACTIVE_KEYS_MAX = 2

/** The most characters of a request's value that an error shows. */
export const SHOWN_CHARACTERS_MAX = 40

/** How long `createMemoryNonces` keeps a nonce after its timestamp. */
export const NONCE_KEPT_SECONDS = 360

/** The largest body and the longest base string that `diagnose` compares with the variants of mistakes. */
export const DIAGNOSED_BYTES_MAX = 8 * 1024

/** The most characters of all base strings that `diagnose` builds for one request. */
export const VARIANT_CHARACTERS_MAX = 1024 * 1024
