import {
  holdsCardNumber,
  namesSecretField,
  OPERATIONS,
  plainDigits,
  SECRET_FIELD_NAMES,
  spellingsOf,
} from '@counterfoil/protocol'

/** 19 digits, percent-encoded twice, with as many characters between them. */
const CARD_NUMBER_LENGTH_MAX = 19 * 6
const FIELD_NAMES = new Set(
  Object.values(OPERATIONS).flatMap(({ fields }) => fields.flatMap(spellingsOf)),
)

/**
 * Truncates a text, then masks it. A stranger chooses the length, and masking costs much more than truncating. Digits
 * at the end may be the first digits of a card number, so they are dropped.
 */
export function truncateAndMask(text: string, lengthMax: number, mask = maskText): string {
  if (text.length <= lengthMax) return mask(text)
  const tailAt = lengthMax - CARD_NUMBER_LENGTH_MAX
  const tail = text.slice(tailAt, lengthMax).replace(/[^\p{L}]+$/u, '')
  return `${mask(text.slice(0, tailAt) + tail)}…`
}

/**
 * Masks possible card numbers in a text: 12 to 19 digits in sequence, and every digit if there are other card numbers
 * or names of secret fields. The work is linear.
 */
export function maskText(text: string): string {
  const masked = text.replaceAll(/\p{Nd}(?:[ -]?\p{Nd}){11,18}/gu, maskNumbers)
  return holdsSecret(masked) ? maskNumbers(masked) : masked
}

/** Masks a URL or a path that holds a possible card number, also if it is percent-encoded once or twice. */
export function maskUrl(url: string): string {
  const texts = [url, decode(url), decode(decode(url))]
  return texts.some((text) => maskText(text) !== text) ? maskDigits(url) : url
}

/**
 * Masks possible card data in a base string (RFC 5849, section 3.4.1), so that a refusal can show it. Masks the values
 * of card and CVV fields, everything that looks like a card number, and every digit of a parameter that no operation
 * has, as when JSON was sent as a form. The length stays the same. The work is linear.
 */
export function maskBaseString(baseString: string): string {
  const [method = '', url, ...parameters] = baseString.split('&')
  if (url === undefined) return method
  const maskedUrl = holdsSecret(decode(decode(url))) ? maskDigits(url) : url
  if (parameters.length === 0) return `${method}&${maskedUrl}`
  const masked = parameters.join('&').split('%26').map(maskParameter).join('%26')
  return [method, maskedUrl, masked].join('&')
}

function maskParameter(parameter: string): string {
  const [name = '', ...rest] = parameter.split('%3D')
  const value = rest.join('%3D')
  const [plainName, plainValue] = [decode(decode(name)), decode(decode(value))]
  if (SECRET_FIELD_NAMES.has(plainName)) return `${name}%3D${'*'.repeat(value.length)}`
  const isOAuth = plainName.startsWith('oauth_')
  const isKnown = isOAuth || (FIELD_NAMES.has(plainName) && !holdsPairs(plainValue))
  return isKnown && !holdsSecret(plainValue) ? parameter : maskDigits(parameter)
}

function holdsSecret(text: string): boolean {
  return holdsCardNumber(text) || namesSecretField(text)
}

/** Whether a value seems to hold more names and values: of JSON, or of a form that was split in the wrong place. */
function holdsPairs(value: string): boolean {
  const cut = value.search(/[;,\s]/)
  return (cut !== -1 && value.includes('=', cut)) || (value.includes('"') && value.includes(':'))
}

function maskNumbers(text: string): string {
  return text.replaceAll(/[\p{Nd}\p{No}]/gu, (digit) => '*'.repeat(digit.length))
}

// Matches a percent-encoded UTF-8 character, any other encoded byte, or a digit. `%` may itself be encoded as `%25`.
const CHARACTER_BYTE_OR_DIGIT =
  /%(?:25)?[C-F][\dA-F](?:%(?:25)?[89AB][\dA-F]){1,3}|%(?:25)?[\dA-F]{2}|[\p{Nd}\p{No}]/giu

/** Masks the digits of every script, but not the hexadecimal digits of percent-encoded bytes. */
function maskDigits(encoded: string): string {
  return encoded.replaceAll(CHARACTER_BYTE_OR_DIGIT, (match) => {
    const character = decode(match.replaceAll('%25', '%'))
    return /^\d/.test(plainDigits(character)) ? '*'.repeat(match.length) : match
  })
}

/** Decodes all well-formed percent-encoding. `decodeURIComponent` would throw at a malformed byte. */
function decode(text: string): string {
  return text.replaceAll(/(?:%[\da-f]{2})+/gi, (bytes) => {
    return Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8')
  })
}
