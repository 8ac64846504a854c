/** The longest curl command line. A diagnosis takes no body above 8 KiB. */
export const CURL_CHARACTERS_MAX = 1024 * 1024
