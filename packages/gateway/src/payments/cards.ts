import { createHmac, type KeyObject } from 'node:crypto'
import type { Operation } from '@counterfoil/protocol'

/** The part of a card number that the gateway keeps. */
export interface Card {
  /** The first six digits, or null for a number of fewer than 15 digits, of which ten would be too much. */
  readonly bin: string | null
  readonly last4: string
}

/** A form without card numbers and verification values. Its maps go by the names of the fields. */
export interface ReducedForm {
  readonly texts: ReadonlyMap<string, string>
  readonly cards: ReadonlyMap<string, Card>
  /**
   * Hashes the complete form without the verification value. The same request has the same hash. The key prevents an
   * attacker from finding a card number by trying them all.
   */
  readonly hash: (key: KeyObject) => string
}

/** Reduces a form to the values that may be logged and stored. The code after this call sees no others. */
export function reduceForm(
  operation: Operation,
  endpointId: string,
  values: ReadonlyMap<string, string>,
): ReducedForm {
  const kinds = new Map(operation.fields.map(({ name, kind }) => [name, kind]))
  const numbers = [...values].filter(([name]) => kinds.get(name) === 'card')
  const texts = [...values].filter(([name]) => !/^(card|cvv)$/.test(kinds.get(name) ?? ''))
  return {
    texts: new Map(texts),
    cards: new Map(numbers.map(([name, number]) => [name, reduceCard(number)])),
    hash: (key) => {
      const hashed = numbers.map(([name, number]) => [name, keyedHash(key, number)] as const)
      const fields = [...texts, ...hashed].toSorted(([one], [other]) => (one < other ? -1 : 1))
      return keyedHash(key, JSON.stringify([operation.name, endpointId, fields]))
    },
  }
}

function reduceCard(number: string): Card {
  return { bin: number.length < 15 ? null : number.slice(0, 6), last4: number.slice(-4) }
}

function keyedHash(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex')
}
