import type { BaseStringMistake } from './mistake.ts'

const STRUCTURE = 'specification, Signature generation, step 5'

/** Mistakes with the method and with the three parts of the base string. */
export const TEXT_MISTAKES = [
  {
    code: 'method-lower-case',
    sentence: 'You signed the method in lower case.',
    fix: 'Write the method in upper case: POST.',
    clause: 'RFC 5849, 3.4.1.1',
    ways: [
      ({ method }) => ({ method: method.toLowerCase() }),
      ({ method }) => ({ method: method.slice(0, 1) + method.slice(1).toLowerCase() }),
    ],
  },
  {
    code: 'method-other',
    sentence: 'You signed another method than you sent.',
    fix: 'Sign the method of the request.',
    clause: 'RFC 5849, 3.4.1.1',
    ways: [() => ({ method: 'GET' }), () => ({ method: 'POST' }), () => ({ method: 'PUT' })],
  },
  {
    code: 'base-string-line-end',
    sentence: 'You signed the base string with a line end after it.',
    fix: 'Sign the base string without a line end (printf %s, not echo).',
    clause: STRUCTURE,
    ways: [
      ({ join }) => ({ join: (...parts) => `${join(...parts)}\n` }),
      ({ join }) => ({ join: (...parts) => `${join(...parts)}\r\n` }),
    ],
  },
  {
    code: 'base-string-not-encoded',
    sentence: 'You did not encode the three parts of the base string.',
    fix: 'Encode the method, the URL and the parameter string, and then join the three with "&".',
    clause: STRUCTURE,
    ways: [
      () => ({ encodePart: (text) => text }),
      ({ encodePart }) => ({
        encodePart: (text) => (text.startsWith('http') ? text : encodePart(text)),
      }),
      ({ encodePart }) => ({
        encodePart: (text) => (text.startsWith('http') ? encodePart(text) : text),
      }),
      ({ encodePart }) => ({ encodePart: (text) => encodePart(encodePart(text)) }),
    ],
  },
  {
    code: 'base-string-joined',
    sentence: 'You joined the three parts of the base string with something else than "&".',
    fix: 'Join the encoded method, URL and parameter string with "&", without anything around it.',
    clause: STRUCTURE,
    ways: [
      () => ({ join: (method, url, parameters) => `${method}&${url}?${parameters}` }),
      () => ({ join: (...parts) => parts.join('') }),
      () => ({ join: (...parts) => parts.join('\n') }),
      () => ({ join: (...parts) => parts.join('%26') }),
      () => ({ join: (...parts) => parts.join(' & ') }),
      ({ encodePart }) => ({ join: (...parts) => encodePart(parts.join('&')) }),
    ],
  },
  {
    code: 'base-string-part-missing',
    sentence: 'You left out one of the three parts of the base string.',
    fix: 'Sign METHOD&URL&PARAMETERS.',
    clause: STRUCTURE,
    ways: [
      () => ({ join: (_, url, parameters) => `${url}&${parameters}` }),
      () => ({ join: (method, _, parameters) => `${method}&${parameters}` }),
      () => ({ join: (_method, _url, parameters) => parameters }),
      () => ({ join: (_method, _url, parameters) => decodeURIComponent(parameters) }),
      () => ({ join: (method, url) => `${method}&${url}` }),
      () => ({ join: (method, url) => `${method}&${url}&` }),
    ],
  },
] as const satisfies readonly BaseStringMistake[]
