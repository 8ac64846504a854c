import { verify } from '@counterfoil/signing'
import * as z from 'zod'
import { GatewayError, LIMITS } from '@counterfoil/common'
import type { StoredKey } from '@counterfoil/store'
import { maskUrl } from '../observe/mask.ts'
import { type Authenticator, openKeysOf } from './authenticate.ts'
import { maskReason, mistakeLines, stepLines } from './refusal-message.ts'
import { diagnoseRefused, type KeptRequest } from './refused-requests.ts'

/** The request that an operator asks about. */
export const askedRefusal = z.strictObject({
  requestId: z.string(),
  /** The base string that the caller signed, if the operator has it. */
  signedBaseString: z.string().optional(),
})

export type AskedRefusal = z.infer<typeof askedRefusal>

/**
 * Tells the operator in lines why a request was refused, and looks for the mistake. The lines hold no card number, key
 * or signature.
 *
 * @throws {GatewayError} `control` if the gateway does not have the request in memory
 */
export async function explainRefusal(
  authenticator: Authenticator,
  { requestId, signedBaseString }: AskedRefusal,
): Promise<readonly string[]> {
  const kept = authenticator.refusedRequests.find(requestId)
  if (!kept) throw notKept(requestId)
  const { atSeconds, request, refused } = kept
  const { code, consumerKey } = refused
  const login = await authenticator.store.findLogin(consumerKey ?? '')
  const { open } = await openKeysOf(authenticator, login)
  const diagnosis = await diagnoseRefused(kept, open, signedBaseString)
  const revoked = login && (await findRevokedKey(authenticator, kept))
  return [
    `Request ${requestId}, refused at ${new Date(atSeconds * 1000).toISOString()} (${code})`,
    ...(request ? [`Request: ${request.method} ${maskUrl(new URL(request.url).pathname)}`] : []),
    `Login that the request names: ${maskReason(consumerKey ?? 'none')}`,
    ...(revoked ? revokedLines(revoked) : mistakeLines(diagnosis)),
    ...stepLines(refused),
  ]
}

/** Finds the revoked key of the login that made the signature, if there is one. */
async function findRevokedKey(
  { store, openKey }: Authenticator,
  { atSeconds, request, refused: { consumerKey = '' } }: KeptRequest,
): Promise<StoredKey | undefined> {
  if (!request) return undefined
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

function revokedLines({ keyId, revokedAt }: StoredKey): readonly string[] {
  const at = revokedAt?.toISOString()
  return [
    `Mistake: You signed with the key ${keyId}, which was revoked at ${at}.`,
    'Fix: Sign with an active key of the login.',
  ]
}

function notKept(requestId: string): GatewayError {
  const memory = `The gateway keeps at most ${LIMITS.refusedRequestsMax} refusals in memory.`
  const advice = 'Its log has the step and the code of every refusal'
  return new GatewayError(
    'control',
    `There is no refused request ${requestId}. ${memory} ${advice}`,
  )
}
