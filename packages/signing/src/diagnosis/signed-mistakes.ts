import { percentDecode, percentEncode } from '../parameters/encode.ts'
import { byName, compareTexts, isOwn, joinPair, type Way } from './recipe.ts'
import {
  addBody,
  address,
  addressOf,
  alsoSigned,
  changeSent,
  encodeAsJava,
  encodeIn,
  encodeParts,
  instead,
  joinParts,
  jsonMembers,
  keys,
  leave,
  order,
  parameters,
  parseForm,
  same,
  sentHost,
  unsorted,
  without,
} from './ways.ts'

const STEP_1 = 'specification, Signature generation, step 1'
const STEP_2 = 'specification, Signature generation, step 2'
const STEP_3 = 'specification, Signature generation, step 3'
const STEP_5 = 'specification, Signature generation, step 5'
const STEP_6 = 'specification, Signature generation, step 6'
const METHOD = 'RFC 5849, 3.4.1.1'
const URI = 'RFC 5849, 3.4.1.2'
const GATHERING = 'RFC 5849, 3.4.1.3.1'
const SORTING = 'RFC 5849, 3.4.1.3.2'
const HMAC = 'RFC 5849, 3.4.2'
const ENCODING_RULE = 'RFC 5849, 3.6'

const SIGN_JSON =
  'Sign only the oauth_* parameters and the query. The signature does not cover a JSON body.'
const SORT = 'Sort the encoded pairs by name and then by value, byte by byte'

/** A mistake: its texts, which hold nothing of a request, and the ways to make it, the usual one first. */
export type Row = readonly [clause: string, sentence: string, fix: string, ...ways: Way[]]

/** Mistakes by their codes. */
export type Table = Readonly<Record<string, Row>>

/** The names under which callers sign the text of a JSON body. */
const BODY_NAMES = ['', 'body', 'data', 'json']

/** What callers sign instead of the parameters of the query and the form. */
// biome-ignore format: a table
const BODY = {
  'form-not-signed': [STEP_1, "You left the form's fields out of the signature.",
    "Sign each field of the form together with the oauth_* parameters and the query's.",
    parameters((own, _, { form }) => own.filter((one) => !form.includes(one)))],
  'query-not-signed': [GATHERING, "You left the query's parameters out of the signature.",
    'Sign each parameter of the query as if it were a field of the form.',
    parameters((own, _, { query }) => own.filter((one) => !query.includes(one)))],
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
    parameters((own, _, { repeated }) => [...own, ...repeated])],
  'duplicates-dropped': [SORTING, 'You signed one value of a name that the request sends more than once.',
    'Sign every value of a repeated name.',
    parameters((own) => [...new Map(own)]),
    parameters((own) => [...new Map(own.toReversed())])],
  'empty-dropped': [GATHERING, 'You left a parameter with an empty value out of the signature.',
    'Sign "name=" for each parameter that you send without a value.',
    parameters((own) => own.filter((one) => one[1] !== '' || !isOwn(one)))],
  'line-end-in-form': [GATHERING, 'You sent a line end after the form, and did not sign the line end.',
    'Send the form without a line end (curl: --data-raw, or printf for echo).',
    changeSent((text) => text.replace(/[ \t\r\n]+$/, ''))],
  'plus-not-encoded': [GATHERING, 'You sent "+" in the form or the query and meant a plus: there it is a space.',
    'Write %2B for a plus in the form and in the query.',
    parameters((_, __, { header, queryText, isForm, body }) => {
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
  'protocol-not-signed': [STEP_1, 'You sent an oauth_* parameter and did not sign it.',
    'Sign every oauth_* parameter of the header but oauth_signature, or leave it out of the header.',
    ...['oauth_version', 'oauth_body_hash', 'oauth_token'].map(without)],
  'protocol-not-sent': [STEP_1, 'You signed a parameter that is not one of the signed parameters of the header.',
    'Sign neither the realm nor oauth_signature, and no oauth_* parameter that you do not send.',
    alsoSigned('oauth_version', '1.0'), alsoSigned('oauth_token', ''), alsoSigned('oauth_signature', ''),
    (recipe, received) => alsoSigned('realm', received.realm ?? '')(recipe, received)],
  'protocol-encoded-before': [STEP_2, 'You encoded the oauth_* values once more before you signed them.',
    'Take the plain oauth_* values into the parameters, and encode each of them once.',
    parameters((own) => own.map((one) => (isOwn(one) ? one : [one[0], percentEncode(one[1])])))],
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
  'encoding-slash-left': [STEP_2, 'You left "/" unencoded.', "Write %2F for a slash (Python: quote(text, safe='')).",
    ...instead(leave('/'))],
  'encoding-tilde-encoded': [ENCODING_RULE, 'You encoded "~".', 'Leave "~" as it is.',
    ...instead((text) => percentEncode(text).replaceAll('~', '%7E'))],
  'encoding-lower-case': [ENCODING_RULE, 'You wrote the hex digits of %XX in lower case.',
    'Write them in upper case: %2F, not %2f.',
    ...instead((text) => percentEncode(text).replaceAll(/%../g, (byte) => byte.toLowerCase()))],
  'encoding-twice': [STEP_5, 'You encoded the names and values twice before you built the base string.',
    'Encode each name and value once, and the parameter string once more as a part of the base string.',
    ...instead((text) => percentEncode(percentEncode(text)))],
  'encoding-none': [STEP_2, 'You did not encode the values.',
    'Encode each name and value before you sort and join the parameters.',
    () => ({ encodeName: same, encodeValue: same }), () => ({ encodeValue: same })],
  'encoding-charset': [ENCODING_RULE, 'You encoded the text in another character set than UTF-8.',
    'Write text as UTF-8 before you encode it as %XX.',
    ...['windows-1252', 'windows-1251'].map(encodeIn).flatMap(instead)],
} as const satisfies Table

const { compare: byLocale } = new Intl.Collator('en')

/** The orders in which callers sign the parameters. The last finds every order of the request. */
// biome-ignore format: a table
const ORDER = {
  'order-after-joining': [SORTING, 'You sorted the joined texts "name=value".', `${SORT}.`,
    order((a, b) => compareTexts(joinPair(a), joinPair(b)))],
  'order-before-encoding': [SORTING, 'You sorted the parameters before you encoded them.',
    'Encode the names and values first, and then sort them.',
    order((a, b) => compareTexts(a.name, b.name) || compareTexts(a.value, b.value))],
  'order-by-name-only': [SORTING,
    'You sorted the parameters by name, and did not sort the values of a repeated name.', `${SORT}.`,
    order(byName)],
  'order-by-locale': [SORTING, 'You sorted the parameters by the rules of a language, or ignored their letter case.',
    `${SORT}: not with localeCompare or a collation.`,
    order((a, b) => byLocale(a.encodedName, b.encodedName) || byLocale(a.encodedValue, b.encodedValue)),
    order((a, b) => compareTexts(a.encodedName.toLowerCase(), b.encodedName.toLowerCase()))],
  'order-unsorted': [STEP_3, 'You did not sort the parameters.', `${SORT}.`,
    unsorted(), unsorted('query', 'form', 'header'), unsorted('form', 'query', 'header'),
    unsorted('header', 'form', 'query')],
} as const satisfies Table

/** Mistakes with the method, and with the three parts of the base string. */
// biome-ignore format: a table
const TEXTS = {
  'method-other': [METHOD, 'You signed another method than you sent, or wrote the method in lower case.',
    'Sign the method of the request in upper case: POST.',
    ({ method }) => ({ method: method.toLowerCase() }),
    ...['GET', 'POST', 'PUT'].map((method): Way => () => ({ method }))],
  'base-string-line-end': [STEP_5, 'You signed the base string with a line end after it.',
    'Sign the base string without a line end (printf %s, not echo).',
    ...['\n', '\r\n'].map((end) => joinParts((...parts) => parts.join('&') + end))],
  'base-string-not-encoded': [STEP_5, 'You did not encode the three parts of the base string.',
    'Encode the method, the URL and the parameter string, and then join the three with "&".',
    encodeParts((text) => text),
    encodeParts((text, encode) => (text.startsWith('http') ? text : encode(text))),
    encodeParts((text, encode) => (text.startsWith('http') ? encode(text) : text)),
    encodeParts((text, encode) => encode(encode(text)))],
  'base-string-joined': [STEP_5, 'You joined the three parts of the base string with something else than "&".',
    'Join the encoded method, URL and parameter string with "&", without anything around it.',
    joinParts((method, url, rest) => `${method}&${url}?${rest}`),
    ...['', '\n', '%26'].map((mark) => joinParts((...parts) => parts.join(mark))),
    ({ encodePart }) => ({ join: (...parts) => encodePart(parts.join('&')) })],
  'base-string-part-missing': [STEP_5, 'You left out one of the three parts of the base string.',
    'Sign METHOD&URL&PARAMETERS.',
    joinParts((_, url, rest) => `${url}&${rest}`),
    joinParts((method, _, rest) => `${method}&${rest}`),
    joinParts((_method, _url, rest) => rest),
    joinParts((method, url) => `${method}&${url}`)],
} as const satisfies Table

/**
 * Mistakes with the control key. Each way uses the complete control key or nothing of it: a key of the first characters
 * alone would let a stranger guess the control key piece by piece.
 */
// biome-ignore format: a table
const KEYS = {
  'key-without-ampersand': [STEP_6, 'You signed with the control key alone.', 'Put "&" after the control key.',
    keys((key) => [key, percentEncode(key)])],
  'key-not-trimmed': [STEP_6, 'Your control key has a line end, spaces or quotes around it.',
    'Trim the control key after you read it from its file or variable.',
    keys((key) => [`${key}\n&`, `${key}\r\n&`, `${key}&\n`, `${key}%0A&`, `${key}\n`]),
    keys((key) => [` ${key}&`, `${key} &`, `${key}%20&`, `"${key}"&`, `'${key}'&`, `%22${key}%22&`])],
  'key-case': [STEP_6, 'You changed the letter case of the control key.',
    'Use the control key exactly as you received it.',
    keys((key) => [`${key.toLowerCase()}&`, `${key.toUpperCase()}&`])],
  'key-encoded-twice': [HMAC, 'You percent-encoded the control key twice, or "&" with it.',
    'Percent-encode the control key once, and put "&" after it.',
    keys((key) => [`${percentEncode(percentEncode(key))}&`, `${percentEncode(key)}%26`])],
  // HMAC fills a key with zeros, and WebCrypto refuses an empty one.
  'key-empty': [STEP_6, 'You signed with an empty control key.',
    'Check the name of the variable or file from which your program reads the control key.',
    keys(() => ['&', '\0', 'undefined&', 'null&', 'None&'])],
  'key-login': [STEP_6, 'You signed with the login instead of the control key.',
    'Sign with the control key that belongs to the login.',
    (_, { protocol: { consumerKey } }) => ({ keysOf: () => [`${consumerKey}&`, consumerKey] })],
} as const satisfies Table

/** The mistakes in a signature, by the part in which they are. */
export const SIGNED = [BODY, PROTOCOL, URLS, ENCODING, ORDER, TEXTS, KEYS] as const

/** The parts whose mistakes often come together. */
export const PAIRS: readonly (readonly [first: Table, second: Table])[] = [
  [BODY, ENCODING],
  [BODY, URLS],
  [BODY, ORDER],
  [URLS, ENCODING],
  [URLS, ORDER],
  [URLS, URLS],
  [ENCODING, ORDER],
  [BODY, KEYS],
  [URLS, KEYS],
  [ENCODING, KEYS],
]
