import type { Check, Subject } from '../check.ts'
import { asks, asksEach, type Changes, type CheckTexts, refusesCaller } from '../make-checks.ts'
import { type Change, type Pairs, writeHeader } from '../sign-request.ts'

const refuses = (texts: CheckTexts, change: Change): Check => asks(texts, change, refusesCaller)

const MANDATORY = [
  'oauth_consumer_key',
  'oauth_nonce',
  'oauth_signature',
  'oauth_signature_method',
  'oauth_timestamp',
]

/** The id of a check about a parameter: `oauth_nonce` becomes `nonce`. */
const shortName = (name: string): string => name.replace('oauth_', '').replaceAll('_', '-')

const MISSING: readonly Check[] = MANDATORY.flatMap((name) => [
  refuses(
    {
      id: `refuse-without-${shortName(name)}`,
      title: `refuses a header without ${name}`,
      clause: 'specification, Authorization header; RFC 5849, 3.1',
      sent: `a request without ${name}, correctly signed otherwise`,
    },
    {
      oauth: () => ({ [name]: undefined }),
      header: (pairs) => pairs.filter(([own]) => own !== name),
    },
  ),
  refuses(
    {
      id: `refuse-empty-${shortName(name)}`,
      title: `refuses an empty ${name}`,
      clause: 'specification, OAuth parameters; RFC 5849, 3.1',
      sent: `${name}="", correctly signed otherwise`,
    },
    {
      ...(name !== 'oauth_signature' && { oauth: () => ({ [name]: '' }) }),
      header: (pairs) => pairs.map(([own, value]) => [own, own === name ? '' : value]),
    },
  ),
])

const TEXTS = `
refuse-no-header | must | refuses a request without an Authorization header | specification, Authentication | no Authorization header
refuse-other-scheme | must | refuses another scheme than OAuth | specification, Authorization header | a valid signature after the scheme Bearer
refuse-two-headers | should | refuses two Authorization headers | RFC 9110, 5.3 | a valid Authorization header twice
refuse-parameters-in-query | must | refuses the parameters of the signature in the query alone | specification, Authorization header | a valid signature in the query, and no Authorization header
refuse-repeated-parameter | must | refuses a parameter with two values | RFC 5849, 3.1 | a header with two different nonces, of which the first is signed
refuse-no-quotes | should | refuses values without quotes | specification, Authorization header; RFC 5849, 3.5.1 | a header with oauth_nonce=value
refuse-version | must | refuses another oauth_version than 1.0 | specification, OAuth parameters; RFC 5849, 3.2 | oauth_version="2.0", signed
refuse-plaintext | must | refuses the signature method PLAINTEXT | specification, OAuth parameters | oauth_signature_method="PLAINTEXT" with an empty secret
refuse-method-name | should | refuses the name of a signature method in lower case | specification, Authentication (names are exact) | the method in lower case, correctly signed otherwise
refuse-none-method | must | refuses the signature method "none" | specification, OAuth parameters | oauth_signature_method="none" with an empty signature
refuse-unknown-login | must | refuses a login that does not exist | specification, OAuth parameters | a random login, signed with the key of the login
`

const CHANGES: Changes = {
  'refuse-no-header': { write: () => undefined },
  'refuse-other-scheme': { write: (pairs) => writeHeader(pairs).replace('OAuth', 'Bearer') },
  'refuse-two-headers': { write: (pairs) => [writeHeader(pairs), writeHeader(pairs)] },
  'refuse-parameters-in-query': {
    write: () => undefined,
    sentQuery: (pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'),
  },
  'refuse-repeated-parameter': { header: (pairs) => [...pairs, ['oauth_nonce', 'other']] },
  'refuse-no-quotes': {
    write: (pairs) => `OAuth ${pairs.map(([name, value]) => `${name}=${value}`).join()}`,
  },
  'refuse-version': { oauth: () => ({ oauth_version: '2.0' }) },
  'refuse-plaintext': { oauth: () => ({ oauth_signature_method: 'PLAINTEXT' }), sign: () => '&' },
  'refuse-method-name': {
    oauth: ({ oauth_signature_method: method }) => {
      return { oauth_signature_method: method?.toLowerCase() }
    },
  },
  'refuse-none-method': {
    oauth: () => ({ oauth_signature_method: 'none' }),
    header: (pairs) => setValue(pairs, 'oauth_signature', ''),
  },
  'refuse-unknown-login': {
    oauth: ({ oauth_nonce: random }) => ({ oauth_consumer_key: `nobody-${random}` }),
  },
}

/** Headers that a gateway must refuse, whatever the signature is. */
export const REFUSED_HEADERS: Subject = {
  name: 'Refused headers',
  checks: [...asksEach(TEXTS, CHANGES, refusesCaller), ...MISSING],
}

function setValue(pairs: Pairs, name: string, changed: string): Pairs {
  return pairs.map(([own, value]) => [own, own === name ? changed : value])
}
