import { setImmediate } from 'node:timers/promises'
import { type Diagnosis, type Difference, diagnose, verify } from '@counterfoil/signing'
import * as z from 'zod'
import { GatewayError, LIMITS } from '@counterfoil/common'
import type { StoredKey } from '@counterfoil/store'
import { maskBaseString, maskUrl } from '../observe/mask.ts'
import type { Authenticator } from './authenticate.ts'
import { baseStringLines, maskReason, placeOf } from './refusal-message.ts'
import type { KeptRequest, RefusedRequests } from './refused-requests.ts'

/** The request that an operator asks about. */
export const askedRefusal = z.strictObject({
  requestId: z.string(),
  /** The base string that the caller signed, if the operator has it. */
  signedBaseString: z.string().optional(),
})

/** See {@link askedRefusal}. */
export type AskedRefusal = z.infer<typeof askedRefusal>

/** An authenticator that keeps refused requests. */
export interface RefusalKeeper extends Authenticator {
  readonly refusedRequests: RefusedRequests
}

/** Why there is no mistake to name. */
const WITHOUT_MISTAKE: Partial<Record<Diagnosis['outcome'], string>> = {
  unknown:
    'none that the gateway knows. Ask the caller for the base string, and pass it with --base-string.',
  'too-large': 'not looked for, because the request is too large.',
}

/**
 * Tells the operator in lines why a request was refused, and looks for the mistake. The lines hold no card number, key
 * or signature.
 *
 * @throws {GatewayError} `control` if the gateway does not have the request in memory
 */
export async function explainRefusal(
  keeper: RefusalKeeper,
  { requestId, signedBaseString }: AskedRefusal,
): Promise<readonly string[]> {
  const kept = keeper.refusedRequests.find(requestId)
  if (!kept) throw notKept(requestId)
  const { atSeconds, request, refused } = kept
  const { step, code, reason, consumerKey = 'none', baseString } = refused
  const { outcome, mistake, secondMistake, difference } = await diagnoseKept(
    keeper,
    kept,
    signedBaseString,
  )
  const revoked = await findRevokedKey(keeper, kept)
  const mistakes = revoked ? [revokedMistake(revoked)] : [mistake ?? [], secondMistake ?? []].flat()
  return [
    `Request ${requestId}, refused at ${new Date(atSeconds * 1000).toISOString()}`,
    ...(request ? [`Request: ${request.method} ${maskUrl(pathOf(request.url))}`] : []),
    `Login that the request names: ${maskReason(consumerKey)}`,
    `Step that failed: ${step} (${code})`,
    `Reason: ${maskReason(reason)}`,
    ...(mistakes.length === 0 ? [`Likely mistake: ${WITHOUT_MISTAKE[outcome]}`] : []),
    ...mistakes.flatMap(({ sentence, fix }) => [`Likely mistake: ${sentence}`, `Fix: ${fix}`]),
    ...(difference && baseString !== undefined
      ? [`First difference: ${show(difference, baseString)}`]
      : []),
    ...baseStringLines(refused),
  ]
}

/** Looks for the mistake, with the active keys of the login. */
async function diagnoseKept(
  { store, openKey, foreignFingerprints }: RefusalKeeper,
  { atSeconds, request, refused }: KeptRequest,
  baseString: string | undefined,
): Promise<Diagnosis> {
  if (!request) return { outcome: 'too-large' }
  const login = await store.findLogin(refused.consumerKey ?? '')
  const own = (login?.keys ?? []).filter(({ fingerprint }) => {
    return !foreignFingerprints.has(fingerprint)
  })
  return await diagnose(request, {
    keys: await Promise.all(own.map(openKey)),
    refused,
    receivedAtSeconds: atSeconds,
    pause: () => setImmediate(),
    ...(request.host !== undefined && { host: request.host }),
    ...(baseString !== undefined && { baseString }),
  })
}

/** Finds the revoked key of the login that made the signature, if there is one. */
async function findRevokedKey(
  { store, openKey }: RefusalKeeper,
  { atSeconds, request, refused: { consumerKey = '' } }: KeptRequest,
): Promise<StoredKey | undefined> {
  if (!request || !(await store.findLogin(consumerKey))) return undefined
  const revoked = (await store.listKeys(consumerKey)).filter(({ revokedAt }) => revokedAt)
  // The master key of a revoked key may have left the configuration.
  const opened = await Promise.all(revoked.map((key) => openKey(key).catch(() => undefined)))
  const keys = opened.filter((key) => key !== undefined)
  const verification = await verify(request, {
    findConsumer: () => ({ keys }),
    spendNonce: () => 'spent',
    nowSeconds: () => atSeconds,
  })
  return verification.ok ? revoked[opened.indexOf(verification.key)] : undefined
}

function revokedMistake({ keyId, revokedAt }: StoredKey) {
  return {
    sentence: `You signed with the key ${keyId}, which was revoked at ${revokedAt?.toISOString()}.`,
    fix: 'Sign with an active key of the login.',
  }
}

const SHOWN_BEFORE = 24

/** Describes the first difference. Shows the text before it from the masked base string, which has the same length. */
function show(difference: Difference, baseString: string): string {
  const { at, gateway, caller } = difference
  const before = maskBaseString(baseString).slice(Math.max(0, at - 1 - SHOWN_BEFORE), at - 1)
  const [own, other] = [gateway, caller].map(({ character }) => {
    return character === '' ? 'nothing' : JSON.stringify(character.replace(/\p{N}/u, '*'))
  })
  return `${placeOf(difference)}. After ${JSON.stringify(before)}, the gateway has ${own}, the caller ${other}`
}

/** Returns the path of a URL as it was sent. */
function pathOf(url: string | URL): string {
  return String(url)
    .replace(/^https?:\/\/[^/]*/, '')
    .replace(/\?.*$/s, '')
}

function notKept(requestId: string): GatewayError {
  const memory = `The gateway keeps at most ${LIMITS.refusedRequestsMax} refusals in memory.`
  const advice = 'Its log has the step and the code of every refusal'
  return new GatewayError(
    'control',
    `There is no refused request ${requestId}. ${memory} ${advice}`,
  )
}
