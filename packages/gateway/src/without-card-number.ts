import { holdsCardNumber } from '@counterfoil/protocol'

/** Returns a text, or a mark instead of a text that holds a card number. */
export function withoutCardNumber(text: string): string {
  return holdsCardNumber(text) ? '[masked]' : text
}
