import { jsonLine } from '../print/json-line.ts'
import { printableLine } from '../print/print-outcome.ts'
import { describeMistake } from './describe-diagnosis.ts'

/** A request whose login has no key in the settings, and the login whose key they have. */
export interface OtherLogin {
  /** The login in the request. */
  readonly named: string
  readonly own: string | undefined
}

/** Describes a request that names another login than the one whose key signed it. */
export function describeOtherLogin({ named, own }: OtherLogin, json = false): string {
  const sentence = `The request names the login ${printableLine(named)}, and you signed with the key of ${own}.`
  const fix = `Send oauth_consumer_key="${own}", or sign with the key of the other login.`
  const mistake = { code: 'login-other', sentence, fix, clause: 'specification, Credentials' }
  return json ? jsonLine({ outcome: 'mistake', mistake }) : describeMistake(mistake)
}
