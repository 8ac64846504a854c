import { InvalidArgumentError } from 'commander'
import { UsageError } from '../usage-error.ts'

/** The statuses in which the two files are compared. */
export const ORDER_STATUSES = ['paid', 'unpaid', 'refunded', 'charged-back'] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]

/** Which status each word of a file stands for, by its normalised word. */
export type StatusWords = ReadonlyMap<string, OrderStatus>

/** The statuses of a gateway's transactions. */
export const TRANSACTION_WORDS: StatusWords = wordsOf({
  paid: 'approved',
  unpaid: 'declined, filtered, error, processing, unknown',
})

/** Statuses that shops write. An order that is being processed is paid: the shop prepares it. */
export const SHOP_WORDS: StatusWords = wordsOf({
  paid: `paid, approved, complete, completed, captured, settled, success, successful, succeeded, fulfilled, shipped,
    delivered, partially refunded, partially shipped, partially fulfilled, processing, processed, dispatched, sent,
    payment accepted, payment received, awaiting fulfillment, awaiting fulfilment, awaiting shipment, awaiting pickup`,
  unpaid: `unpaid, not paid, declined, denied, failed, error, rejected, cancelled, canceled, void, voided, expired,
    abandoned, new, open, created, draft, checkout draft, incomplete, pending, pending payment, payment pending,
    awaiting payment, payment failed, payment error, payment review, on hold, authorised, authorized`,
  refunded: 'refunded, fully refunded, reversed',
  'charged-back': 'charged back, chargeback, disputed',
})

/** Reads an argument of `--status`: `paid=shipped,delivered`. */
export function addStatusWords(text: string, before: StatusWords = new Map()): StatusWords {
  const equals = text.indexOf('=')
  const status = ORDER_STATUSES.find((name) => name === text.slice(0, equals))
  if (!status) {
    throw new InvalidArgumentError(`Expected ${ORDER_STATUSES.join(', ')}, then = and your words.`)
  }
  const words = text.slice(equals + 1).split(',')
  return new Map([...before, ...words.map((word) => [normalise(word), status] as const)])
}

/**
 * Finds the status that a word of a file stands for.
 *
 * @throws {UsageError} for an unknown word
 */
export function readStatus(word: string, words: StatusWords): OrderStatus {
  const status = words.get(word) ?? words.get(normalise(word))
  if (status) return status
  const shown = JSON.stringify(word)
  throw new UsageError(`unknown status ${shown}; say what it means, such as --status paid=${shown}`)
}

function wordsOf(lists: { readonly [status in OrderStatus]?: string }): StatusWords {
  return new Map(
    ORDER_STATUSES.flatMap((status) =>
      (lists[status] ?? '')
        .split(',')
        .filter((word) => word !== '')
        .map((word) => [normalise(word), status] as const),
    ),
  )
}

function normalise(word: string): string {
  return (
    word
      .trim()
      .toLowerCase()
      .replaceAll(/[\s_-]+/g, ' ')
      // A common shop stores its statuses with this prefix.
      .replace(/^wc /, '')
  )
}
