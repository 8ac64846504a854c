import type { Fetch } from '@counterfoil/client'
import { HEADERS } from '@counterfoil/protocol'

/** Status and headers of an answer, as the browser shows them. */
export interface AnswerHead {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
}

/** As many as a person may still look at. */
const HEADS_MAX = 50

const heads = new Map<string, AnswerHead>()

/** The `fetch` of the page's client. It keeps the heads of the latest answers. */
export const fetchAndKeepHead: Fetch = async (url, init) => {
  const response = await fetch(url, init)
  const requestId = response.headers.get(HEADERS.requestId)
  if (requestId !== null) {
    heads.set(requestId, { status: response.status, headers: [...response.headers] })
    const [oldest] = heads.keys()
    if (heads.size > HEADS_MAX && oldest !== undefined) heads.delete(oldest)
  }
  return response
}

/** Returns the head of an answer by the id of its request. */
export function headOf(requestId: string | undefined): AnswerHead | undefined {
  return requestId === undefined ? undefined : heads.get(requestId)
}
