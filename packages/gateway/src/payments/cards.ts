import { createHmac, type KeyObject } from 'node:crypto'
import type { Operation } from '@counterfoil/protocol'

/** What is kept of a card. */
export interface Card {
  /** The first six digits; none of a number so short that with the last four too much of it would be kept. */
  readonly bin: string | null
  readonly last4: string
}

/** What a form holds, without a card's number or verification value; by the fields' own names. */
export interface ReducedForm {
  readonly texts: ReadonlyMap<string, string>
  readonly cards: ReadonlyMap<string, Card>
  /**
   * Hashes all that was asked, but the verification value: the same request has the same hash, and nobody without the
   * key finds out a card's number by trying.
   */
  readonly hash: (key: KeyObject) => string
}

/** Reduces a form to what may be logged and stored. From here on nothing else of it is seen. */
export function reduceForm(
  operation: Operation,
  endpointId: string,
  values: ReadonlyMap<string, string>,
): ReducedForm {
  const ofKind = (...kinds: readonly string[]): readonly (readonly [string, string])[] => {
    const names = operation.fields
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ name }) => name)
    return [...values].filter(([name]) => names.includes(name))
  }
  const [numbers, secrets] = [ofKind('card'), ofKind('card', 'cvv')]
  const texts = [...values].filter(([name]) => !secrets.some(([secret]) => secret === name))
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
