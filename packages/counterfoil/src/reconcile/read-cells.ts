import { formatDecimal, parseDecimal } from '@counterfoil/protocol'
import { InvalidArgumentError } from 'commander'
import { UsageError } from '../command.ts'

export type Separator = '.' | ','

const SEPARATORS = ['.', ','] as const

/** Amounts are integers of this many fraction digits, as many as the gateway keeps. */
const SCALE = 4

/** The limit lets SQLite add up hundreds of amounts without an overflow. */
const AMOUNT_MAX = 10n ** 16n

const FORMS: Readonly<Record<Separator, RegExp>> = {
  '.': /^[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d*)?$/,
  ',': /^[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+)(?:,\d*)?$/,
}

/** Reads an amount as a scaled integer. `likely` is the separator of an amount such as `1,234`, which may have either. */
export function readAmount(text: string, separator?: Separator, likely?: Separator): bigint {
  const amount = text.trim().replaceAll(/(?<=\d)[\s'’](?=\d{3})/g, '')
  const fits = SEPARATORS.filter((each) => each === (separator ?? each) && FORMS[each].test(amount))
  const [one, other] = fits
  if (one === undefined) throw notAmount(text)
  // The gateway writes three fraction digits after a point.
  const own = other === undefined || !amount.includes(',') ? one : likely
  if (own === undefined) {
    const both = `${amount.replace(',', '')} or ${amount.replace(',', '.')}`
    throw new UsageError(`the amount ${amount} may be ${both}; say which with --decimal-separator`)
  }
  return parse(amount.replaceAll(own === '.' ? ',' : '.', '').replace(',', '.'), text)
}

export function formatAmount(amount: bigint, digitsMin: number): string {
  return formatDecimal(amount, digitsMin, SCALE)
}

function parse(decimal: string, text: string): bigint {
  const amount = parseDecimal(decimal.replace('+', '').replace(/(\.\d*?)0+$/, '$1'), SCALE)
  if (amount === undefined || amount > AMOUNT_MAX || amount < -AMOUNT_MAX) throw notAmount(text)
  return amount
}

function notAmount(text: string): UsageError {
  return new UsageError(
    `expected an amount with up to ${SCALE} fraction digits, got ${JSON.stringify(text)}`,
  )
}

export const ORDER_STATUSES = ['paid', 'unpaid', 'refunded', 'charged-back'] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]

/** Which status each word of a file stands for, by its normalised word. */
export type StatusWords = ReadonlyMap<string, OrderStatus>

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
  return new Map([...before, ...words.map((word) => [normaliseWord(word), status] as const)])
}

/** Finds the status that a word of a file stands for. Throws `UsageError` for an unknown word. */
export function readStatus(word: string, words: StatusWords): OrderStatus {
  const status = words.get(word) ?? words.get(normaliseWord(word))
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
        .map((word) => [normaliseWord(word), status] as const),
    ),
  )
}

function normaliseWord(word: string): string {
  return (
    word
      .trim()
      .toLowerCase()
      .replaceAll(/[\s_-]+/g, ' ')
      // A common shop stores its statuses with this prefix.
      .replace(/^wc /, '')
  )
}

const ID_FORMULA = /^="(.*)"$/s

export function readId(text: string): string {
  return text.replace(ID_FORMULA, (_, inner: string) => inner.replaceAll('""', '"')).trim()
}

/** Reads the code of a currency, or an empty text. Throws `UsageError` for any other text. */
export function readCurrency(text: string): string {
  const code = text.toUpperCase()
  if (/^(?:[A-Z][A-Z0-9]{2,9})?$/.test(code)) return code
  throw new UsageError(`expected a currency code such as EUR, got ${JSON.stringify(text)}`)
}
