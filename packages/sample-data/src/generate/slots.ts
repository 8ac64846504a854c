import type { TRANSACTION_TYPES } from '@counterfoil/gateway'
import { pick } from './sql.ts'

/**
 * What each transaction is, told from its number alone. Every thousand numbers are laid out alike: the first 914 are
 * roots, which stand for themselves; each of the others follows from one of them, as a refund does from its sale.
 * Where something follows, the root's fate is settled: what is refunded was approved. Odd thousands differ a little
 * from even ones, for the sake of halves.
 */

/** How many numbers are laid out together. */
export const BLOCK_ROWS = 1000

/** How many of them, from the first, are roots. */
export const BLOCK_ROOTS = 914

/** After how many numbers the layout begins anew. */
const SLOTS = 2 * BLOCK_ROWS

interface KindTraits {
  readonly kind: string
  readonly type: (typeof TRANSACTION_TYPES)[number]
  /** Of 10,000. */
  readonly approved: number | 'by gate'
  /** Whether it gives money to the merchant (1), takes it (-1), or neither (0). */
  readonly moves: 1 | -1 | 0
  /** Whether the fraud filter looks at it. */
  readonly filtered: boolean
}

/** The kinds of transactions that are made. In queries, a kind is known by its place from 0. */
export const KINDS = [
  { kind: 'sale', type: 'sale', approved: 'by gate', moves: 1, filtered: true },
  { kind: 'payout', type: 'payout', approved: 9200, moves: -1, filtered: true },
  { kind: 'transfer', type: 'transfer', approved: 9200, moves: -1, filtered: true },
  { kind: 'preauth', type: 'preauth', approved: 'by gate', moves: 0, filtered: true },
  {
    kind: 'verification',
    type: 'account_verification',
    approved: 8500,
    moves: 0,
    filtered: true,
  },
  { kind: 'eligibility', type: 'pan_eligibility', approved: 8500, moves: 0, filtered: false },
  { kind: 'refund', type: 'reversal', approved: 9700, moves: -1, filtered: false },
  { kind: 'chargeback', type: 'chargeback', approved: 10_000, moves: -1, filtered: false },
  { kind: 'retrieval', type: 'retrieval', approved: 10_000, moves: 0, filtered: false },
  { kind: 'dispute', type: 'dispute', approved: 10_000, moves: 0, filtered: false },
  { kind: 'fraud', type: 'fraud', approved: 10_000, moves: 0, filtered: false },
  // A declined sale that is tried again.
  { kind: 'retry', type: 'sale', approved: 5500, moves: 1, filtered: true },
  // A sale that comes twice, under the same order id of the merchant.
  { kind: 'double', type: 'sale', approved: 'by gate', moves: 1, filtered: true },
  { kind: 'capture', type: 'capture', approved: 9700, moves: 1, filtered: false },
  { kind: 'cancel', type: 'cancel', approved: 9800, moves: 0, filtered: false },
] as const satisfies readonly KindTraits[]

/** The name of a kind. */
export type Kind = (typeof KINDS)[number]['kind']

/** Whether a transaction is of one of some kinds; `of` is the column with the place of its own. */
export function isKind(of: string, ...kinds: readonly Kind[]): string {
  return pick(
    KINDS.map(({ kind }) => (kinds.includes(kind) ? 1 : 0)),
    of,
  )
}

/** Which part of its root's amount something has; the whole refund is a part now and then. */
export const PARTS = [
  'whole',
  'first of three',
  'second of three',
  'third of three',
  'most',
  'rest',
] as const

/** How long something comes after its root: a table of `LAGS`. */
export const LAG_NAMES = ['sameDay', 'refund', 'complaint', 'capture'] as const

/** What is settled of a root's status. */
export const FATES = ['open', 'approved', 'declined'] as const

interface Slot {
  readonly kind: Kind
  readonly fate: (typeof FATES)[number]
  readonly part: (typeof PARTS)[number]
  readonly lag: (typeof LAG_NAMES)[number]
  /** The number of its root within the block. */
  readonly root: number
}

type Follower = Pick<Slot, 'kind' | 'lag'> & Partial<Pick<Slot, 'part'>>
type Roots = readonly [
  count: number,
  kind: Kind,
  fate: Slot['fate'],
  followers: readonly Follower[],
]

const REFUND: Follower = { kind: 'refund', lag: 'refund' }
const CHARGEBACK: Follower = { kind: 'chargeback', lag: 'complaint' }
const RETRIEVAL: Follower = { kind: 'retrieval', lag: 'complaint' }
const THREE_REFUNDS: readonly Follower[] = [
  { ...REFUND, part: 'first of three' },
  { ...REFUND, part: 'second of three' },
  { ...REFUND, part: 'third of three' },
]

/** The roots of a thousand, in order of kind, and what follows from each. */
function rootsOf(half: 'even' | 'odd'): readonly Roots[] {
  const refunded: readonly Roots[] =
    half === 'even'
      ? [
          [23, 'sale', 'approved', [REFUND]],
          [1, 'sale', 'approved', THREE_REFUNDS],
        ]
      : [[26, 'sale', 'approved', [REFUND]]]
  return [
    ...refunded,
    [3, 'sale', 'approved', [CHARGEBACK]],
    [1, 'sale', 'approved', [half === 'even' ? CHARGEBACK : RETRIEVAL]],
    [1, 'sale', 'approved', [{ kind: 'dispute', lag: 'complaint' }]],
    [1, 'sale', 'approved', [{ kind: 'fraud', lag: 'refund' }]],
    [22, 'sale', 'declined', [{ kind: 'retry', lag: 'sameDay' }]],
    [3, 'sale', 'open', [{ kind: 'double', lag: 'sameDay' }]],
    [half === 'even' ? 695 : 693, 'sale', 'open', []],
    [70, 'payout', 'open', []],
    [50, 'transfer', 'open', []],
    [16, 'preauth', 'approved', [{ kind: 'capture', lag: 'capture' }]],
    [
      4,
      'preauth',
      'approved',
      [
        { kind: 'capture', lag: 'capture', part: 'most' },
        { kind: 'capture', lag: 'capture', part: 'rest' },
      ],
    ],
    [5, 'preauth', 'approved', [{ kind: 'cancel', lag: 'capture' }]],
    [5, 'preauth', 'open', []],
    [10, 'verification', 'open', []],
    [4, 'eligibility', 'open', []],
  ]
}

// Coprime to the number of roots, and of followers: neighbours are of different kinds.
const ROOT_STRIDE = 389
const FOLLOWER_STRIDE = 37

/** The layout, by number modulo `SLOTS`. */
export const SLOT_TABLE: readonly Slot[] = [...layOut('even'), ...layOut('odd')]

function layOut(half: 'even' | 'odd'): readonly Slot[] {
  const slots: Slot[] = []
  let [roots, followers] = [0, 0]
  for (const [count, kind, fate, following] of rootsOf(half)) {
    for (let index = 0; index < count; index += 1) {
      const root = (roots * ROOT_STRIDE) % BLOCK_ROOTS
      slots[root] = { kind, fate, part: 'whole', lag: 'sameDay', root }
      roots += 1
      for (const follower of following) {
        const at = (followers * FOLLOWER_STRIDE) % (BLOCK_ROWS - BLOCK_ROOTS)
        slots[BLOCK_ROOTS + at] = { part: 'whole', fate: 'open', ...follower, root }
        followers += 1
      }
    }
  }
  return slots
}

// All that is known of a slot in one number, since the engine is slow to take in tables: in bits, from the lowest.
const CODED = {
  root: { from: 0, bits: 10, of: ({ root }: Slot) => root },
  kind: { from: 10, bits: 4, of: ({ kind }: Slot) => KINDS.findIndex((one) => one.kind === kind) },
  fate: { from: 14, bits: 2, of: ({ fate }: Slot) => FATES.indexOf(fate) },
  part: { from: 16, bits: 3, of: ({ part }: Slot) => PARTS.indexOf(part) },
  lag: { from: 19, bits: 2, of: ({ lag }: Slot) => LAG_NAMES.indexOf(lag) },
}

/** All that is known of a number's slot, for `decodeSlot`. */
export function codeOfSlot(n: string): string {
  const codes = SLOT_TABLE.map((slot) => {
    return Object.values(CODED).reduce((code, { from, of }) => code + of(slot) * 2 ** from, 0)
  })
  return pick(codes, `${n} % ${SLOTS}`)
}

/** One thing of what is known of a slot: the place in its list, or the root's number in the block. */
export function decodeSlot(what: keyof typeof CODED, code: string): string {
  const { from, bits } = CODED[what]
  return `bitAnd(bitShiftRight(${code}, ${from}), ${2 ** bits - 1})`
}
