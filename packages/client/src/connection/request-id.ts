import { HEADERS } from '@counterfoil/protocol'
import type { Answer } from '../transport/transport.ts'

/** Returns the id by which the gateway's operator finds the request. It is also the id of the run. */
export function requestIdOf({ header }: Pick<Answer, 'header'>): string | undefined {
  return header(HEADERS.requestId)
}
