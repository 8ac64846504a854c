/** The longest link, in characters: the fragment of an address that sets the request. */
export const LINK_CHARACTERS_MAX = 16 * 1024

/** The most bytes of an answer that the signature view shows. */
export const ANSWER_BYTES_MAX = 8 * 1024

/** The most different characters whose double encoding the base string explains. */
export const TWICE_ENCODED_MAX = 20
