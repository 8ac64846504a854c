import { type Check, type Subject } from '../check.ts'
import { asks, type CheckTexts, refusesCaller } from '../make-checks.ts'
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

const HEADERS: readonly Check[] = [
  refuses(
    {
      id: 'refuse-no-header',
      title: 'refuses a request without an Authorization header',
      clause: 'specification, Authentication',
      sent: 'no Authorization header',
    },
    { write: () => undefined },
  ),
  refuses(
    {
      id: 'refuse-other-scheme',
      title: 'refuses another scheme than OAuth',
      clause: 'specification, Authorization header',
      sent: 'a valid signature after the scheme Bearer',
    },
    { write: (pairs) => writeHeader(pairs).replace('OAuth', 'Bearer') },
  ),
  refuses(
    {
      id: 'refuse-two-headers',
      title: 'refuses two Authorization headers',
      clause: 'RFC 9110, 5.3',
      level: 'should',
      sent: 'a valid Authorization header twice',
    },
    { write: (pairs) => [writeHeader(pairs), writeHeader(pairs)] },
  ),
  refuses(
    {
      id: 'refuse-parameters-in-query',
      title: 'refuses the parameters of the signature in the query alone',
      clause: 'specification, Authorization header',
      sent: 'a valid signature in the query, and no Authorization header',
    },
    {
      write: () => undefined,
      sentQuery: (pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'),
    },
  ),
  refuses(
    {
      id: 'refuse-repeated-parameter',
      title: 'refuses a parameter with two values',
      clause: 'RFC 5849, 3.1',
      sent: 'a header with two different nonces, of which the first is signed',
    },
    { header: (pairs) => [...pairs, ['oauth_nonce', 'other']] },
  ),
  refuses(
    {
      id: 'refuse-no-quotes',
      title: 'refuses values without quotes',
      clause: 'specification, Authorization header; RFC 5849, 3.5.1',
      level: 'should',
      sent: 'a header with oauth_nonce=value',
    },
    { write: (pairs) => `OAuth ${pairs.map(([name, value]) => `${name}=${value}`).join()}` },
  ),
  refuses(
    {
      id: 'refuse-version',
      title: 'refuses another oauth_version than 1.0',
      clause: 'specification, OAuth parameters; RFC 5849, 3.2',
      sent: 'oauth_version="2.0", signed',
    },
    { oauth: () => ({ oauth_version: '2.0' }) },
  ),
  refuses(
    {
      id: 'refuse-plaintext',
      title: 'refuses the signature method PLAINTEXT',
      clause: 'specification, OAuth parameters',
      sent: 'oauth_signature_method="PLAINTEXT" with an empty secret',
    },
    { oauth: () => ({ oauth_signature_method: 'PLAINTEXT' }), sign: () => '&' },
  ),
  refuses(
    {
      id: 'refuse-method-name',
      title: 'refuses the name of a signature method in lower case',
      clause: 'specification, Authentication (names are exact)',
      level: 'should',
      sent: 'the method in lower case, correctly signed otherwise',
    },
    {
      oauth: ({ oauth_signature_method: method }) => {
        return { oauth_signature_method: method?.toLowerCase() }
      },
    },
  ),
  refuses(
    {
      id: 'refuse-none-method',
      title: 'refuses the signature method "none"',
      clause: 'specification, OAuth parameters',
      sent: 'oauth_signature_method="none" with an empty signature',
    },
    {
      oauth: () => ({ oauth_signature_method: 'none' }),
      header: (pairs) => setValue(pairs, 'oauth_signature', ''),
    },
  ),
  refuses(
    {
      id: 'refuse-unknown-login',
      title: 'refuses a login that does not exist',
      clause: 'specification, OAuth parameters',
      sent: 'a random login, signed with the key of the login',
    },
    { oauth: ({ oauth_nonce: random }) => ({ oauth_consumer_key: `nobody-${random}` }) },
  ),
]

/** Headers that a gateway must refuse, whatever the signature is. */
export const REFUSED_HEADERS: Subject = {
  name: 'Refused headers',
  checks: [...HEADERS, ...MISSING],
}

function setValue(pairs: Pairs, name: string, changed: string): Pairs {
  return pairs.map(([own, value]) => [own, own === name ? changed : value])
}
