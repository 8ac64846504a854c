import { holdsCardNumber, OPERATIONS, spellingsOf } from '@counterfoil/protocol'

const FIELDS = Object.values(OPERATIONS).flatMap(({ fields }) => {
  return fields.flatMap((field) => spellingsOf(field).map((name) => [name, field.kind] as const))
})
const isSecretKind = (kind: string): boolean => kind === 'card' || kind === 'cvv'
const SECRETS = new Set(FIELDS.filter(([, kind]) => isSecretKind(kind)).map(([name]) => name))
const OTHERS = new Set(FIELDS.filter(([, kind]) => !isSecretKind(kind)).map(([name]) => name))

/**
 * Masks in a base string (RFC 5849, section 3.4.1) what may be of a card, so that it can be shown: the values of card
 * and CVV fields, whatever looks like a card number, and every digit of a parameter that no operation has, as where
 * JSON was sent as a form. As many characters are left as there were.
 */
export function maskCards(baseString: string): string {
  const [method = '', url = '', ...parameters] = baseString.split('&')
  const masked = parameters.join('&').split('%26').map(maskParameter).join('%26')
  return [method, holdsCardNumber(decode(url)) ? maskDigits(url) : url, masked].join('&')
}

function maskParameter(parameter: string): string {
  const [name = '', ...rest] = parameter.split('%3D')
  const value = rest.join('%3D')
  const [plainName, plainValue] = [decode(decode(name)), decode(decode(value))]
  if (SECRETS.has(plainName)) return `${name}%3D${'*'.repeat(value.length)}`
  const isOAuth = plainName.startsWith('oauth_')
  const isKnown = isOAuth || (OTHERS.has(plainName) && !holdsPairs(plainValue))
  return isKnown && !holdsCardNumber(plainValue) ? parameter : maskDigits(parameter)
}

/** Whether a value has more names and values in it: those of a form that was not cut where it should be, or of JSON. */
function holdsPairs(value: string): boolean {
  const cut = value.search(/[;,\s]/)
  return (cut !== -1 && value.includes('=', cut)) || (value.includes('"') && value.includes(':'))
}

// A wide digit as its three bytes, any other byte, a digit; `%` stands as it is or encoded once more.
const WIDE_DIGIT = /^%(?:25)?EF%(?:25)?BC%(?:25)?9\d$/i
const BYTES_OR_DIGIT = /%(?:25)?EF%(?:25)?BC%(?:25)?9\d|%(?:25)?[\dA-F]{2}|\d/gi

/** Masks digits, which are not those of percent-encoded bytes. */
function maskDigits(encoded: string): string {
  return encoded.replaceAll(BYTES_OR_DIGIT, (found) => {
    return found.length === 1 || WIDE_DIGIT.test(found) ? '*'.repeat(found.length) : found
  })
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
