import {
  type Diagnosis,
  type Difference,
  type Mistake,
  parseAuthorization,
  type RequestToVerify,
} from '@counterfoil/signing'
import { printableLine } from '../print/text.ts'

const WITHOUT_MISTAKE = {
  correct: 'The signature is right.',
  unknown: 'No known mistake leads to this signature.',
  'too-large': 'The request is too large for a diagnosis: more than 8 KiB.',
} as const

/** Describes a diagnosis for people. It shows the request, which may hold card data. */
export function describeDiagnosis(diagnosis: Diagnosis, request: RequestToVerify): string {
  const { outcome, mistake, secondMistake, refused, baseString, difference } = diagnosis
  const named = [mistake, secondMistake].flatMap((one) => (one ? [describeMistake(one)] : []))
  const title = outcome === 'mistake' ? named : [`${WITHOUT_MISTAKE[outcome]}\n`]
  const isOther = refused !== undefined && refused.code !== 'signature-mismatch'
  const reason = isOther ? [`Reason: ${printableLine(refused.reason)}\n`] : []
  const built =
    baseString === undefined ? [] : [`The gateway's base string:\n${printableLine(baseString)}\n`]
  const compared = difference ? [describeDifference(difference)] : []
  const unchecked = outcome === 'correct' ? [describeUnchecked(request)] : []
  const facts = [...title, ...unchecked, ...reason, ...compared, ...built]
  return [...facts, ...adviceFor(diagnosis)].join('\n')
}

/** Marks the first character in which two base strings differ. */
function describeDifference({ at, part, parameter, gateway, caller }: Difference): string {
  const partName = part === 'url' ? 'URL' : part
  const place = parameter === undefined ? `the ${partName}` : `the parameter ${parameter}`
  const [one = '', other = ''] = [gateway, caller].map(({ before, character, after }) => {
    return printableLine(before + character + after)
  })
  const mark = ' '.repeat(printableLine(gateway.before).length)
  const lines = [`  gateway  ${one}`, `  yours    ${other}`, `           ${mark}^`]
  return `First difference: character ${at}, in ${place}\n${lines.join('\n')}\n`
}

/** What a gateway checks, and a command without its store and its clock cannot. */
function describeUnchecked({ authorization, url }: RequestToVerify): string {
  const seconds = Number(parameterIn(String(authorization), 'oauth_timestamp'))
  const time = new Date(seconds * 1000).toISOString().replace('.000', '')
  const origin = printableLine(URL.parse(String(url))?.origin ?? '')
  return `Only the gateway knows whether the nonce is new, whether its clock was within 300 s of
${time}, whether ${origin} is its public address,
and whether the key belongs to the login there.
`
}

/** Describes a mistake, and how to fix it. */
function describeMistake({ code, sentence, fix, clause }: Mistake): string {
  return `Mistake: ${sentence}\nFix: ${fix}\nClause: ${clause} (${code})\n`
}

function adviceFor({ outcome, signedBaseString }: Diagnosis): readonly string[] {
  if (outcome !== 'unknown' || signedBaseString !== undefined) return []
  const base = 'Pass the text that your program signed with --base-string FILE to compare both.'
  return [`The key may be another than the one that signed the request. ${base}\n`]
}

/** Returns a parameter of an Authorization header, or undefined if it is missing, empty or malformed. */
export function parameterIn(authorization: string, wanted: string): string | undefined {
  try {
    const { parameters } = parseAuthorization(authorization)
    return parameters.find(([name]) => name === wanted)?.[1] || undefined
  } catch {
    return undefined
  }
}
