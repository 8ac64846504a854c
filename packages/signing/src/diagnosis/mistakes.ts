import { compareCodeUnits, percentDecode, percentEncode } from '../parameters/parameters.ts'
import {
  CREDENTIALS,
  GATHERING,
  HEADER,
  KEY_PAIR,
  PARAMETERS,
  REFUSALS,
  TIMESTAMP,
  URI,
} from '../refusals/refusals.ts'
import {
  addBody,
  address,
  addressOf,
  alsoSigned,
  byName,
  changeParameters,
  changeSent,
  encodeAsJava,
  encodeIn,
  instead,
  isOwn,
  joinPair,
  jsonMembers,
  leave,
  parseForm,
  same,
  sentHost,
  unsorted,
  type Way,
  without,
} from './recipe.ts'

const step = (number: number) => `specification, Signature generation, step ${number}`
const METHOD = 'RFC 5849, 3.4.1.1'
const SORTING = 'RFC 5849, 3.4.1.3.2'
const HMAC = 'RFC 5849, 3.4.2'
const ENCODING_RULE = 'RFC 5849, 3.6'

const SIGN_JSON =
  'Sign only the oauth_* parameters and the query. The signature does not cover a JSON body.'
const SORT = 'Sort the encoded pairs by name and then by value, byte by byte'

/** A mistake: its texts, which hold nothing of a request, and the ways to make it, the usual one first. */
export type Row = readonly [clause: string, sentence: string, fix: string, ...ways: Way[]]

export type Table = Readonly<Record<string, Row>>

const BODY_NAMES = ['', 'body', 'data', 'json']

/** What callers sign instead of the parameters of the query and the form. */
// biome-ignore format: a table
const BODY = {
  'form-not-signed': [step(1), "You left the form's fields out of the signature.",
    "Sign each field of the form together with the oauth_* parameters and the query's.",
    changeParameters((own, { form }) => own.filter((one) => !form.includes(one)))],
  'query-not-signed': [GATHERING, "You left the query's parameters out of the signature.",
    'Sign each parameter of the query as if it were a field of the form.',
    changeParameters((own, { query }) => own.filter((one) => !query.includes(one)))],
  'json-members-signed': [GATHERING, 'You signed the members of the JSON body as parameters.', SIGN_JSON,
    addBody((body) => jsonMembers(body, true)),
    addBody((body) => jsonMembers(body, false))],
  'json-text-signed': [GATHERING, 'You signed the text of the JSON body as one parameter.', SIGN_JSON,
    addBody((body) => [[body, '']]),
    ...BODY_NAMES.map((name) => addBody((body) => [[name, body]]))],
  'body-signed-as-form': [GATHERING, 'You signed the body as a form, and sent it with another Content-Type.',
    'Send a form with "Content-Type: application/x-www-form-urlencoded".',
    addBody((body) => parseForm(body))],
  'protocol-signed-twice': ['docs/signing.md, The steps, byte by byte',
    'You signed the oauth_* parameters of the header, and those of the body once more.',
    'Sign each oauth_* parameter once, also if the body repeats it.',
    changeParameters((own, { repeated }) => [...own, ...repeated])],
  'duplicates-dropped': [SORTING, 'You signed one value of a name that the request sends more than once.',
    'Sign every value of a repeated name.',
    changeParameters((own) => [...new Map(own)]),
    changeParameters((own) => [...new Map(own.toReversed())])],
  'empty-dropped': [GATHERING, 'You left a parameter with an empty value out of the signature.',
    'Sign "name=" for each parameter that you send without a value.',
    changeParameters((own) => own.filter((one) => one[1] !== '' || !isOwn(one)))],
  'line-end-in-form': [GATHERING, 'You sent a line end after the form, and did not sign the line end.',
    'Send the form without a line end (curl: --data-raw, or printf for echo).',
    changeSent((text) => text.replace(/[ \t\r\n]+$/, ''))],
  'plus-not-encoded': [GATHERING, 'You sent "+" in the form or the query and meant a plus: there it is a space.',
    'Write %2B for a plus in the form and in the query.',
    changeParameters((_, { header, queryText, isForm, body }) => {
      return [...header, ...parseForm(queryText, true), ...(isForm ? parseForm(body, true) : [])]
    })],
  'sent-encoded-twice': [GATHERING, 'You encoded the values of the form or the query once more after you signed them.',
    'Send the values encoded once: the HTTP library may encode them for you.',
    changeSent(percentDecode)],
  'spelling-mixed': [GATHERING, 'You signed a name with "_" and sent it with "-", or the reverse.',
    'Sign every name as you send it.',
    changeSent((name) => name.replaceAll('-', '_'), same),
    changeSent((name) => name.replaceAll('_', '-'), same)],
} as const satisfies Table

/** Mistakes with the `oauth_*` parameters. */
// biome-ignore format: a table
const PROTOCOL = {
  'protocol-not-signed': [step(1), 'You sent an oauth_* parameter and did not sign it.',
    'Sign every oauth_* parameter of the header but oauth_signature, or leave it out of the header.',
    ...['oauth_version', 'oauth_body_hash', 'oauth_token'].map(without)],
  'protocol-not-sent': [step(1), 'You signed a parameter that is not one of the signed parameters of the header.',
    'Sign neither the realm nor oauth_signature, and no oauth_* parameter that you do not send.',
    alsoSigned('oauth_version', '1.0'), alsoSigned('oauth_token', ''), alsoSigned('oauth_signature', ''),
    (recipe, received) => alsoSigned('realm', received.realm ?? '')(recipe, received)],
  'protocol-encoded-before': [step(2), 'You encoded the oauth_* values once more before you signed them.',
    'Take the plain oauth_* values into the parameters, and encode each of them once.',
    changeParameters((own) => own.map((one) => (isOwn(one) ? one : [one[0], percentEncode(one[1])])))],
} as const satisfies Table

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']
/** The ports of servers in development, and of proxies. */
const USUAL_PORTS = ['80', '443', '3000', '5000', '8000', '8080', '8081', '8443']
const otherScheme = (scheme: string) => (scheme === 'http' ? 'https' : 'http')

/** The URLs that callers sign. */
// biome-ignore format: a table
const URLS = {
  'url-scheme': [URI, 'You signed http for https, or https for http.',
    "Sign the scheme of the gateway's public address, also behind a proxy that ends TLS.",
    address(({ scheme }) => ({ scheme: otherScheme(scheme) })),
    address(({ scheme }) => ({ scheme: otherScheme(scheme), port: undefined }))],
  'url-port': [URI, 'You signed another port than that of the public address of the gateway.',
    'Sign the address that the gateway gives in /.well-known/counterfoil: without :443 of https and :80 of http.',
    sentHost(true),
    address(() => ({ port: undefined })),
    address(({ scheme, port }) => ({ port: port ?? (scheme === 'http' ? '80' : '443') })),
    ...USUAL_PORTS.map((port) => address(() => ({ port })))],
  'url-host': [URI, 'You signed another host than the public address of the gateway.',
    'Sign the address that the gateway gives in /.well-known/counterfoil, and send the request there.',
    ...LOOPBACK.map((host) => address((own) => (LOOPBACK.includes(own.host) ? { host } : undefined))),
    sentHost(false), sentHost(false, otherScheme)],
  'url-case': [URI, 'You signed the URL in another letter case than you sent it.',
    'Write the host in lower case, and sign the path exactly as you send it.',
    address(({ host }) => ({ host: host.toUpperCase() })),
    address(({ host }) => ({ host: host.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()) })),
    address(({ path }) => ({ path: path.toLowerCase() }))],
  'url-trailing-slash': [URI, 'You signed the path with a slash at its end and sent it without, or the reverse.',
    'Sign the path exactly as you send it.',
    address(({ path }) => ({ path: path.endsWith('/') ? path.slice(0, -1) : `${path}/` }))],
  'url-path-encoding': [URI, 'You encoded or decoded the path once more before you signed it.',
    'Sign the path exactly as you send it.',
    address(({ path }) => ({ path: path.replaceAll('%', '%25') })),
    address(({ path }) => ({ path: decodeURIComponent(path) }))],
  'url-with-query': [URI, 'You left the query in the URL that you signed.',
    "Sign the URL without its query, and the query's parameters with the other parameters.",
    ({ url, parameters: own }, { query, queryText }) => {
      if (queryText === '') return undefined
      return { url: `${url}?${queryText}`, parameters: own.filter((one) => !query.includes(one)) }
    },
    ({ url }, { queryText }) => ({ url: `${url}?${queryText}` })],
  'url-path-only': [URI, 'You signed the path instead of the URL.', 'Sign scheme, host and path.',
    ({ url }) => ({ url: addressOf(url).path }),
    ({ url }) => ({ url: url.replace(/^https?:\/\//, '') })],
  'url-base-path': [URI, 'You signed the URL without the first part of its path, as behind a proxy.',
    "Sign the gateway's public URL with its complete path.",
    address(({ path }) => ({ path: path.replace(/^\/[^/]+(?=\/)/, '') })),
    address(() => ({ path: '/' }))],
} as const satisfies Table

/** How callers encode. */
// biome-ignore format: a table
const ENCODING = {
  'encoding-marks-left': [ENCODING_RULE, "You left ! ' ( ) * unencoded.",
    "Encode everything but A-Z a-z 0-9 - . _ ~: write %21, %27, %28, %29, %2A for ! ' ( ) *.",
    ...[encodeURIComponent, leave('*')].flatMap(instead)],
  'encoding-plus-for-space': [ENCODING_RULE, 'You wrote "+" for a space.', 'Write %20 for a space in what you sign.',
    ...instead((text) => percentEncode(text).replaceAll('%20', '+')),
    ...instead(encodeAsJava)],
  'encoding-slash-left': [step(2), 'You left "/" unencoded.', "Write %2F for a slash (Python: quote(text, safe='')).",
    ...instead(leave('/'))],
  'encoding-tilde-encoded': [ENCODING_RULE, 'You encoded "~".', 'Leave "~" as it is.',
    ...instead((text) => percentEncode(text).replaceAll('~', '%7E'))],
  'encoding-lower-case': [ENCODING_RULE, 'You wrote the hex digits of %XX in lower case.',
    'Write them in upper case: %2F, not %2f.',
    ...instead((text) => percentEncode(text).replaceAll(/%../g, (byte) => byte.toLowerCase()))],
  'encoding-twice': [step(5), 'You encoded the names and values twice before you built the base string.',
    'Encode each name and value once, and the parameter string once more as a part of the base string.',
    ...instead((text) => percentEncode(percentEncode(text)))],
  'encoding-none': [step(2), 'You did not encode the values.',
    'Encode each name and value before you sort and join the parameters.',
    { encodeName: same, encodeValue: same }, { encodeValue: same }],
  'encoding-charset': [ENCODING_RULE, 'You encoded the text in another character set than UTF-8.',
    'Write text as UTF-8 before you encode it as %XX.',
    ...['windows-1252', 'windows-1251'].map(encodeIn).flatMap(instead)],
} as const satisfies Table

const { compare: byLocale } = new Intl.Collator('en')

/** The orders in which callers sign the parameters. The last finds every order of the request. */
// biome-ignore format: a table
const ORDER = {
  'order-after-joining': [SORTING, 'You sorted the joined texts "name=value".', `${SORT}.`,
    { compare: (a, b) => compareCodeUnits(joinPair(a), joinPair(b)) }],
  'order-before-encoding': [SORTING, 'You sorted the parameters before you encoded them.',
    'Encode the names and values first, and then sort them.',
    { compare: (a, b) => compareCodeUnits(a.name, b.name) || compareCodeUnits(a.value, b.value) }],
  'order-by-name-only': [SORTING,
    'You sorted the parameters by name, and did not sort the values of a repeated name.', `${SORT}.`,
    { compare: byName }],
  'order-by-locale': [SORTING, 'You sorted the parameters by the rules of a language, or ignored their letter case.',
    `${SORT}: not with localeCompare or a collation.`,
    { compare: (a, b) => byLocale(a.encodedName, b.encodedName) || byLocale(a.encodedValue, b.encodedValue) },
    { compare: (a, b) => compareCodeUnits(a.encodedName.toLowerCase(), b.encodedName.toLowerCase()) }],
  'order-unsorted': [step(3), 'You did not sort the parameters.', `${SORT}.`,
    unsorted(), unsorted('query', 'form', 'header'), unsorted('form', 'query', 'header'),
    unsorted('header', 'form', 'query')],
} as const satisfies Table

/** Mistakes with the method, and with the three parts of the base string. */
// biome-ignore format: a table
const TEXTS = {
  'method-other': [METHOD, 'You signed another method than you sent, or wrote the method in lower case.',
    'Sign the method of the request in upper case: POST.',
    ({ method }) => ({ method: method.toLowerCase() }),
    ...['GET', 'POST', 'PUT'].map((method): Way => ({ method }))],
  'base-string-line-end': [step(5), 'You signed the base string with a line end after it.',
    'Sign the base string without a line end (printf %s, not echo).',
    ...['\n', '\r\n'].map((end): Way => ({ join: (...parts) => parts.join('&') + end }))],
  'base-string-not-encoded': [step(5), 'You did not encode the three parts of the base string.',
    'Encode the method, the URL and the parameter string, and then join the three with "&".',
    { encodePart: same },
    { encodePart: (text) => (text.startsWith('http') ? text : percentEncode(text)) },
    { encodePart: (text) => (text.startsWith('http') ? percentEncode(text) : text) },
    { encodePart: (text) => percentEncode(percentEncode(text)) }],
  'base-string-joined': [step(5), 'You joined the three parts of the base string with something else than "&".',
    'Join the encoded method, URL and parameter string with "&", without anything around it.',
    { join: (method, url, rest) => `${method}&${url}?${rest}` },
    ...['', '\n', '%26'].map((mark): Way => ({ join: (...parts) => parts.join(mark) })),
    ({ encodePart }) => ({ join: (...parts) => encodePart(parts.join('&')) })],
  'base-string-part-missing': [step(5), 'You left out one of the three parts of the base string.',
    'Sign METHOD&URL&PARAMETERS.',
    { join: (_, url, rest) => `${url}&${rest}` },
    { join: (method, _, rest) => `${method}&${rest}` },
    { join: (_method, _url, rest) => rest },
    { join: (method, url) => `${method}&${url}` }],
} as const satisfies Table

// Each way uses the complete control key or nothing of it, so that no stranger can guess the key piece by piece.
// biome-ignore format: a table
const KEYS = {
  'key-without-ampersand': [step(6), 'You signed with the control key alone.', 'Put "&" after the control key.',
    { keysOf: (key) => [key, percentEncode(key)] }],
  'key-not-trimmed': [step(6), 'Your control key has a line end, spaces or quotes around it.',
    'Trim the control key after you read it from its file or variable.',
    { keysOf: (key) => [`${key}\n&`, `${key}\r\n&`, `${key}&\n`, `${key}%0A&`, `${key}\n`] },
    { keysOf: (key) => [` ${key}&`, `${key} &`, `${key}%20&`, `"${key}"&`, `'${key}'&`, `%22${key}%22&`] }],
  'key-case': [step(6), 'You changed the letter case of the control key.',
    'Use the control key exactly as you received it.',
    { keysOf: (key) => [`${key.toLowerCase()}&`, `${key.toUpperCase()}&`] }],
  'key-encoded-twice': [HMAC, 'You percent-encoded the control key twice, or "&" with it.',
    'Percent-encode the control key once, and put "&" after it.',
    { keysOf: (key) => [`${percentEncode(percentEncode(key))}&`, `${percentEncode(key)}%26`] }],
  // HMAC fills a key with zeros, and WebCrypto refuses an empty one.
  'key-empty': [step(6), 'You signed with an empty control key.',
    'Check the name of the variable or file from which your program reads the control key.',
    { keysOf: () => ['&', '\0', 'undefined&', 'null&', 'None&'] }],
  'key-login': [step(6), 'You signed with the login instead of the control key.',
    'Sign with the control key that belongs to the login.',
    (_, { protocol: { consumerKey } }) => ({ keysOf: () => [`${consumerKey}&`, consumerKey] })],
} as const satisfies Table

/** Mistakes that a signature shows by itself, or beside the base string that the caller signed. */
// biome-ignore format: a table
const SIGNATURES = {
  'rsa-other-hash': [step(6), 'You signed with RSA, but not by RSASSA-PKCS1-v1_5 with SHA-256.',
    'Sign the base string with RSASSA-PKCS1-v1_5 and SHA-256 (openssl dgst -sha256 -sign).'],
  'rsa-other-key': [KEY_PAIR,
    'You signed with another private key than the one whose public key the login has, or with the padding PSS.',
    'Sign with PKCS1-v1_5, and compare the fingerprint of your key with the one that the operator has for your login.'],
  'base-string-other': [step(5), 'Your key is right, and you signed another base string than the gateway built.',
    "Compare your base string with the gateway's, character by character."],
  'key-other': [CREDENTIALS, "Your base string is right, and the signature is not by the login's key.",
    'Sign with the control key of this login in this environment: production and sandbox have different keys.'],
  'signature-hex': [step(7), 'You wrote the signature in hex.',
    'Encode the bytes of the signature as base64: take the binary result of the HMAC function.'],
  'signature-base64url': [step(7), 'You wrote the signature in base64url.',
    'Use the usual base64 alphabet with "+" and "/", padded with "=".'],
  'signature-encoded-twice': [HEADER, 'You percent-encoded the signature twice in the header.',
    'Encode the signature once: an OAuth library may encode it for you.'],
  'hmac-other-hash': [HMAC, 'You signed with another hash function than SHA-1.',
    'Sign with HMAC and SHA-1, as oauth_signature_method says.'],
  'method-not-used': [PARAMETERS, 'You signed by another method than oauth_signature_method names.',
    'Name the method by which you sign: HMAC-SHA1 for a control key, RSA-SHA256 for a private key.'],
  'timestamp-local-time': [TIMESTAMP,
    'The oauth_timestamp is wrong by your time zone: you took the local time for UTC.',
    'Send the seconds since 1970 in UTC (Python: time.time(), not utcnow().timestamp()).'],
} as const satisfies Table

/** The mistakes in a signature, by the part in which they are. */
export const SIGNED = [BODY, PROTOCOL, URLS, ENCODING, ORDER, TEXTS, KEYS] as const

/** The parts whose mistakes often come together. */
// biome-ignore format: a table
export const PAIRS: readonly (readonly [first: Table, second: Table])[] = [
  [BODY, ENCODING], [BODY, URLS], [BODY, ORDER], [URLS, ENCODING], [URLS, ORDER],
  [URLS, URLS], [ENCODING, ORDER], [BODY, KEYS], [URLS, KEYS], [ENCODING, KEYS],
]

const { 'signature-mismatch': _, ...REFUSED } = REFUSALS
// biome-ignore format: a list
const TABLE = {
  ...BODY, ...PROTOCOL, ...URLS, ...ENCODING, ...ORDER, ...TEXTS, ...KEYS, ...SIGNATURES, ...REFUSED,
}

/** The code of a mistake that `diagnose` names. */
export type MistakeCode = keyof typeof TABLE

/** A mistake that `diagnose` names. */
export interface Mistake {
  /** Stable: let your code decide by it. */
  readonly code: MistakeCode
  /** What is wrong, in one sentence. */
  readonly sentence: string
  /** What to do, in one sentence. */
  readonly fix: string
  /** The clause that says so: of the specification, of an RFC, or of this project's documentation. */
  readonly clause: string
}

/**
 * Every mistake that `diagnose` names.
 *
 * @example
 * MISTAKES.find(({ code }) => code === 'encoding-plus-for-space')?.fix
 * // 'Write %20 for a space in what you sign.'
 */
export const MISTAKES: readonly Mistake[] = Object.keys(TABLE).filter(isMistakeCode).map(mistakeOf)

export function mistakeOf(code: MistakeCode): Mistake {
  const [clause, sentence, fix] = TABLE[code]
  return { code, sentence, fix, clause }
}

export function isMistakeCode(code: string): code is MistakeCode {
  return Object.hasOwn(TABLE, code)
}
