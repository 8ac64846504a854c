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
 * Masks in a base string (RFC 5849, section 3.4.1) what may be of a card, so that it can be shown: the values of card
 * and CVV fields, whatever looks like a card number, and every digit of a parameter that no operation has, as where
 * JSON was sent as a form. As many characters are left as there were. The work is linear.
 */
export function maskCards(baseString: string): string {
  const [method = '', url, ...parameters] = baseString.split('&')
  if (url === undefined) return method
  const maskedUrl = holdsSecret(decode(decode(url))) ? maskDigits(url) : url
  if (parameters.length === 0) return `${method}&${maskedUrl}`
  const masked = parameters.join('&').split('%26').map(maskParameter).join('%26')
  return [method, maskedUrl, masked].join('&')
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

/** Whether a value has more names and values in it: those of a form that was not cut where it should be, or of JSON. */
function holdsPairs(value: string): boolean {
  const cut = value.search(/[;,\s]/)
  return (cut !== -1 && value.includes('=', cut)) || (value.includes('"') && value.includes(':'))
}

// A character outside ASCII as its bytes in UTF-8, any other byte, a digit; `%` stands as it is or encoded once more.
const CHARACTER_BYTE_OR_DIGIT =
  /%(?:25)?[C-F][\dA-F](?:%(?:25)?[89AB][\dA-F]){1,3}|%(?:25)?[\dA-F]{2}|\d/gi

/** Masks the digits of every script, but not those of percent-encoded bytes. */
function maskDigits(encoded: string): string {
  return encoded.replaceAll(CHARACTER_BYTE_OR_DIGIT, (found) => {
    const character = decode(found.replaceAll('%25', '%'))
    return /^\d/.test(plainDigits(character)) ? '*'.repeat(found.length) : found
  })
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
