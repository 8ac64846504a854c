import {
  HEADERS,
  REFUSAL_JSON_MEDIA_TYPE,
  REFUSAL_MEDIA_TYPE,
  REFUSAL_PREFIX,
} from '@counterfoil/protocol'
import { REFUSAL_EXAMPLE, REFUSAL_JSON_EXAMPLE } from './examples.ts'
import type { Described } from './form-schema.ts'

/** The bodies of a refusal: the specification's text, and JSON for callers that ask for its media type. */
export const REFUSAL_CONTENT: Described = {
  [REFUSAL_MEDIA_TYPE]: {
    schema: { type: 'string', pattern: `^${REFUSAL_PREFIX}` },
    example: REFUSAL_EXAMPLE,
  },
  [REFUSAL_JSON_MEDIA_TYPE]: {
    schema: { $ref: '#/components/schemas/Refusal' },
    example: REFUSAL_JSON_EXAMPLE,
  },
}

/** The response to a caller whose signature the gateway does not accept. */
export const REFUSAL_RESPONSE: Described = {
  description: 'A refusal: the gateway does not accept the signature.',
  headers: { [HEADERS.requestId]: { $ref: `#/components/headers/${HEADERS.requestId}` } },
  content: REFUSAL_CONTENT,
}
