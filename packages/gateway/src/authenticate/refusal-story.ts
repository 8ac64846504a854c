import { setImmediate } from 'node:timers/promises'
import { type Diagnosis, type Difference, diagnose, verify } from '@counterfoil/signing'
import * as z from 'zod'
import { GatewayError, LIMITS } from '@counterfoil/common'
import type { StoredKey } from '@counterfoil/store'
import type { Authenticator } from './authenticate.ts'
import { maskCards, maskEncoded } from './mask-cards.ts'
import { maskedBaseString, maskReason, placeOf } from './refusal-message.ts'
import type { KeptRequest, RefusedRequests } from './refused-requests.ts'

/** The request that an operator asks about. */
export const askedRefusal = z.strictObject({
  requestId: z.string(),
  /** The base string that the caller signed, if the operator has it. */
  signedBaseString: z.string().optional(),
})

/** See {@link askedRefusal}. */
export type AskedRefusal = z.infer<typeof askedRefusal>

const mistakeSchema = z.object({ sentence: z.string(), fix: z.string() })

/** What the operator reads of a refused request. It holds no card number, key or signature. */
export const refusalStory = z.strictObject({
  /** When the request arrived. */
  at: z.string(),
  method: z.string().optional(),
  /** Without the query. */
  path: z.string().optional(),
  /** The login that the request names. */
  login: z.string().optional(),
  step: z.string(),
  code: z.string(),
  reason: z.string(),
  /** What the diagnosis found. Missing if the request was too large to be kept. */
  diagnosis: z.enum(['correct', 'mistake', 'unknown', 'too-large']).optional(),
  /** The likely mistake, and a second one in the same signature. */
  mistakes: z.array(mistakeSchema),
  /** Where the base strings of the caller and the gateway differ first. */
  difference: z.string().optional(),
  /** The base string that the gateway built, and the characters that it leaves out. */
  baseString: z.object({ shown: z.string(), left: z.number() }).optional(),
})

/** See {@link refusalStory}. */
export type RefusalStory = z.infer<typeof refusalStory>

/** An authenticator that keeps refused requests. */
export interface RefusalKeeper extends Authenticator {
  readonly refusedRequests: RefusedRequests
}

/**
 * Tells the operator why a request was refused, and looks for the mistake.
 *
 * @throws {GatewayError} `control` if the gateway does not have the request in memory
 */
export async function tellRefusal(
  keeper: RefusalKeeper,
  { requestId, signedBaseString }: AskedRefusal,
): Promise<RefusalStory> {
  const kept = keeper.refusedRequests.find(requestId)
  if (!kept) throw notKept(requestId)
  const { atSeconds, request, refused } = kept
  const { step, code, reason, consumerKey, baseString } = refused
  const diagnosis = await diagnosisOf(keeper, kept, signedBaseString)
  const { outcome, mistake, secondMistake, difference } = diagnosis ?? {}
  const revoked = await findRevokedKey(keeper, kept)
  return {
    at: new Date(atSeconds * 1000).toISOString(),
    ...(request && { method: request.method, path: maskEncoded(pathOf(request.url)) }),
    ...(consumerKey !== undefined && { login: maskReason(consumerKey) }),
    step,
    code,
    reason: maskReason(reason),
    ...(outcome && { diagnosis: outcome }),
    mistakes: revoked ? [revokedMistake(revoked)] : [mistake ?? [], secondMistake ?? []].flat(),
    ...(difference && baseString !== undefined && { difference: show(difference, baseString) }),
    ...(baseString !== undefined && { baseString: maskedBaseString(baseString) }),
  }
}

/** Looks for the mistake, with the active keys of the login. */
async function diagnosisOf(
  { store, openKey, foreignFingerprints }: RefusalKeeper,
  { atSeconds, request, refused }: KeptRequest,
  baseString: string | undefined,
): Promise<Diagnosis | undefined> {
  if (!request) return undefined
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

function revokedMistake({ keyId, revokedAt }: StoredKey): z.infer<typeof mistakeSchema> {
  return {
    sentence: `You signed with the key ${keyId}, which was revoked at ${revokedAt?.toISOString()}.`,
    fix: 'Sign with an active key of the login.',
  }
}

const SHOWN_BEFORE = 24

/** Describes the first difference. Shows the text before it from the masked base string, which has the same length. */
function show(difference: Difference, baseString: string): string {
  const { at, gateway, caller } = difference
  const before = maskCards(baseString).slice(Math.max(0, at - 1 - SHOWN_BEFORE), at - 1)
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
  const memory = `The gateway keeps its last ${LIMITS.refusedRequestsMax} refusals in memory.`
  const advice = 'Its log has the step and the code of every refusal'
  return new GatewayError(
    'control',
    `There is no refused request ${requestId}. ${memory} ${advice}`,
  )
}
