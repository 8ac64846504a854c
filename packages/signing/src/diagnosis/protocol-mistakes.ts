import type { Parameter } from '../parameter.ts'
import type { BaseStringMistake, Way } from './mistake.ts'
import type { Recipe } from './recipe.ts'

const GATHERING = 'specification, Signature generation, step 1'

/** Mistakes with the `oauth_*` parameters: signed and not sent, sent and not signed, or sent otherwise than signed. */
export const PROTOCOL_MISTAKES = [
  {
    code: 'version-not-signed',
    sentence: 'You sent oauth_version and did not sign it.',
    fix: 'Sign oauth_version, or leave it out of the header.',
    clause: GATHERING,
    ways: [(right) => leaveOut(right, 'oauth_version')],
  },
  {
    code: 'version-not-sent',
    sentence: 'You signed oauth_version and did not send it.',
    fix: 'Send oauth_version="1.0" in the header.',
    clause: 'RFC 5849, 3.1',
    ways: [(right) => put(right, 'oauth_version', '1.0')],
  },
  {
    code: 'body-hash-not-signed',
    sentence: 'You sent oauth_body_hash and did not sign it.',
    fix: 'Add oauth_body_hash to the parameters before you sort and sign them.',
    clause: 'OAuth Request Body Hash 1.0, 4.1.1',
    ways: [(right) => leaveOut(right, 'oauth_body_hash')],
  },
  {
    code: 'realm-signed',
    sentence: 'You signed the realm.',
    fix: 'Leave the realm out of the signed parameters: it stands in the header only.',
    clause: 'RFC 5849, 3.4.1.3.1',
    ways: [
      (right, { realm }) => (realm === undefined ? undefined : put(right, 'realm', realm)),
      (right, { realm }) => (realm === undefined ? put(right, 'realm', '') : undefined),
    ],
  },
  {
    code: 'token-not-signed',
    sentence: 'You sent an empty oauth_token and did not sign it.',
    fix: 'Leave oauth_token out: this gateway has no tokens.',
    clause: 'RFC 5849, 3.1',
    ways: [(right) => leaveOut(right, 'oauth_token')],
  },
  {
    code: 'token-not-sent',
    sentence: 'You signed an empty oauth_token and did not send it.',
    fix: 'Leave oauth_token out of the signed parameters: this gateway has no tokens.',
    clause: 'RFC 5849, 3.1',
    ways: [(right) => put(right, 'oauth_token', '')],
  },
  {
    code: 'signature-signed',
    sentence: 'You signed an oauth_signature parameter.',
    fix: 'Leave oauth_signature out of the signed parameters: it stands in the header only.',
    clause: GATHERING,
    ways: [(right) => put(right, 'oauth_signature', '')],
  },
  {
    code: 'timestamp-differs',
    sentence: 'You signed another oauth_timestamp than you sent.',
    fix: 'Read the clock once, and use the same value in the base string and in the header.',
    clause: 'specification, Authorization header',
    ways: [1, -1, 2, -2].map((seconds): Way => {
      return (right) => {
        const timestamp = Number(valueOf(right, 'oauth_timestamp')) + seconds
        return replaceValue(right, 'oauth_timestamp', String(timestamp))
      }
    }),
  },
  {
    code: 'protocol-encoded-before',
    sentence: 'You encoded the oauth_* values once more before you signed them.',
    fix: 'Take the plain oauth_* values into the parameters, and encode each of them once.',
    clause: 'specification, Signature generation, step 2',
    ways: [
      ({ parameters, encodeValue }) => ({
        parameters: parameters.map((parameter) => {
          const [name, value] = parameter
          return name.startsWith('oauth_') ? ([name, encodeValue(value)] as const) : parameter
        }),
      }),
    ],
  },
] as const satisfies readonly BaseStringMistake[]

function leaveOut({ parameters }: Recipe, omitted: string) {
  return { parameters: parameters.filter(([name]) => name !== omitted) }
}

function put(right: Recipe, name: string, value: string) {
  if (valueOf(right, name) !== undefined) return undefined
  return { parameters: [...right.parameters, [name, value] as const] }
}

function replaceValue({ parameters }: Recipe, replaced: string, value: string) {
  return {
    parameters: parameters.map((parameter): Parameter => {
      return parameter[0] === replaced ? [replaced, value] : parameter
    }),
  }
}

function valueOf({ parameters }: Recipe, wanted: string): string | undefined {
  return parameters.find(([name]) => name === wanted)?.[1]
}
