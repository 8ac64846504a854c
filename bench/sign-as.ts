import { type ControlKey, importControlKey, sign } from '@counterfoil/signing'
import type { DemoConsumer } from '../packages/gateway/src/commands/demo-consumers.ts'

const keys = new Map<string, ControlKey>()

/** An `Authorization` for one request of a login that signs with a control key. */
export async function signAs({ login, controlKey }: DemoConsumer, url: string): Promise<string> {
  const key = keys.get(login) ?? (await importControlKey(controlKey ?? ''))
  keys.set(login, key)
  const message = { method: 'POST', url, contentType: 'application/json' }
  return (await sign(message, { consumerKey: login, key })).authorization
}
