import { holdsCardNumber } from '@counterfoil/protocol'

/** Stands for a text that holds a card number. */
export const CARD_NUMBER_MARK = '[masked]'

/** Returns a text, or a mark instead of a text that holds a card number. */
export function withoutCardNumber(text: string): string {
  return holdsCardNumber(text) ? CARD_NUMBER_MARK : text
}
