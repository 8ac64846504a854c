import { firstDifference } from '@counterfoil/signing'
import { jsonLine } from '../print/json-line.ts'
import { printableLine } from '../print/print-outcome.ts'
import type { SandboxRefusal } from './ask-sandbox.ts'
import { describeDifference } from './describe-diagnosis.ts'

const NAMES = ['sandbox', 'here'] as const

/**
 * Compares the sandbox's base string with the one that was built here.
 *
 * @param json writes one line of JSON instead of text
 */
export function compareWithSandbox(
  { baseString: shown, leftOut, mistake }: SandboxRefusal,
  baseString: string | undefined,
  json = false,
): string {
  const own = maskLike(
    shown,
    leftOut > 0 ? (baseString ?? '').slice(0, shown.length) : (baseString ?? ''),
  )
  const difference = firstDifference(shown, own)
  if (json) return jsonLine({ sandbox: { baseString: shown, mistake, difference } })
  const named = mistake === undefined ? '' : `The sandbox says: ${printableLine(mistake)}\n`
  if (!difference) return `\n${named}The sandbox builds the same base string as this command.\n`
  const advice = 'The sandbox signs another URL than you sent, or it received another body.\n'
  return `\n${named}${advice}${describeDifference(difference, NAMES)}`
}

/** Masks the characters of a text that the sandbox masks. A base string has no `*` of its own. */
function maskLike(shown: string, text: string): string {
  return Array.from(text, (character, index) => (shown[index] === '*' ? '*' : character)).join('')
}
