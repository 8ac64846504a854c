import { HEADERS, REFUSAL_MEDIA_TYPE, REFUSAL_PREFIX } from '@counterfoil/protocol'
import type { Config } from '../config/config.ts'
import { REFUSAL_EXAMPLE, REFUSAL_JSON_EXAMPLE } from './examples.ts'
import type { Described } from './form-schema.ts'

/** Returns the bodies of a refusal. Only a sandbox explains refusals as JSON. */
export function refusalContent(environment: Config['environment']): Described {
  const text = {
    schema: { type: 'string', pattern: `^${REFUSAL_PREFIX}` },
    example: REFUSAL_EXAMPLE,
  }
  const json = { schema: { $ref: '#/components/schemas/Refusal' }, example: REFUSAL_JSON_EXAMPLE }
  return {
    [REFUSAL_MEDIA_TYPE]: text,
    ...(environment === 'sandbox' && { 'application/json': json }),
  }
}

/** Returns the response to a caller whose signature the gateway does not accept. */
export function refusalResponse(environment: Config['environment']): Described {
  return {
    description: 'A refusal: the gateway does not accept the signature.',
    headers: { [HEADERS.requestId]: { $ref: `#/components/headers/${HEADERS.requestId}` } },
    content: refusalContent(environment),
  }
}
