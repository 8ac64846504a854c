import {
  holdsCardNumber,
  namesSecretField,
  OPERATIONS,
  plainDigits,
  SECRET_FIELD_NAMES,
  spellingsOf,
} from '@counterfoil/protocol'

const FIELD_NAMES = new Set(
  Object.values(OPERATIONS).flatMap(({ fields }) => fields.flatMap(spellingsOf)),
)

/**
 * Masks possible card data in a base string (RFC 5849, section 3.4.1), so that a refusal can show it. Masks the values
 * of card and CVV fields, everything that looks like a card number, and every digit of a parameter that no operation
 * has, as when JSON was sent as a form. The length stays the same. The work is linear.
 */
export function maskCards(baseString: string): string {
  const [method = '', url, ...parameters] = baseString.split('&')
  if (url === undefined) return method
  const maskedUrl = maskEncoded(url)
  if (parameters.length === 0) return `${method}&${maskedUrl}`
  const masked = parameters.join('&').split('%26').map(maskParameter).join('%26')
  return [method, maskedUrl, masked].join('&')
}

/** Masks every digit of a URL or path that holds a card number, also if it is percent-encoded once or twice. */
export function maskEncoded(url: string): string {
  return holdsSecret(decode(decode(url))) ? maskDigits(url) : url
}

/** Masks every digit of a text that holds a card number or names a secret field. The work is linear. */
export function maskText(text: string): string {
  if (!holdsSecret(text)) return text
  return text.replaceAll(/[\p{Nd}\p{No}\u{E0030}-\u{E0039}]/gu, (number) =>
    '*'.repeat(number.length),
  )
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

// Matches a percent-encoded UTF-8 character, any other encoded byte, or a digit. `%` may itself be encoded as `%25`.
const CHARACTER_BYTE_OR_DIGIT =
  /%(?:25)?[C-F][\dA-F](?:%(?:25)?[89AB][\dA-F]){1,3}|%(?:25)?[\dA-F]{2}|\d/gi

/** Masks the digits of every script, but not the hexadecimal digits of percent-encoded bytes. */
function maskDigits(encoded: string): string {
  return encoded.replaceAll(CHARACTER_BYTE_OR_DIGIT, (match) => {
    const character = decode(match.replaceAll('%25', '%'))
    return /^\d/.test(plainDigits(character)) ? '*'.repeat(match.length) : match
  })
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
