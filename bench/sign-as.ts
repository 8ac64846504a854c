import { type ControlKey, importControlKey, sign } from '@counterfoil/signing'
import type { DemoLogin } from '../packages/gateway/src/demo/demo-logins.ts'

const imported = new Map<string, ControlKey>()

/** Returns an `Authorization` header for one request of a login with a control key. */
export async function signAs(signer: DemoLogin, url: string): Promise<string> {
  const { login, controlKey = '' } = signer
  const key = imported.get(controlKey) ?? (await importControlKey(controlKey))
  imported.set(controlKey, key)
  const message = { method: 'POST', url, contentType: 'application/json' }
  return (await sign(message, { consumerKey: login, key })).authorization
}
