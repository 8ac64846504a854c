import type { TRANSACTION_TYPES } from '@counterfoil/ledger'
import { pick } from './sql.ts'

/**
 * Decides from a transaction's number what kind of transaction it is. Every block of a thousand numbers has the same
 * layout. The first 914 are roots, which are independent. Each of the others follows from a root, as a refund follows
 * from its sale. A root with followers has a fixed fate: a refunded sale was approved. Odd blocks differ a little from
 * even ones, which makes half shares possible.
 */

/** How many numbers form a block. */
export const BLOCK_ROWS = 1000

/** How many numbers of a block are roots. They come first. */
export const BLOCK_ROOTS = 914

/** After how many numbers the layout repeats. */
const SLOTS = 2 * BLOCK_ROWS

interface KindTraits {
  readonly kind: string
  readonly type: (typeof TRANSACTION_TYPES)[number]
  readonly approved: number | 'by gate'
  readonly moves: 1 | -1 | 0
  readonly filtered: boolean
}

/**
 * The kinds of generated transactions. In queries, the index of a kind identifies it. Of 10,000, so many are approved. The
 * merchant gets money (1), loses money (-1), or neither (0). The fraud filter checks some kinds.
 */
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
  // A second attempt after a declined sale.
  { kind: 'retry', type: 'sale', approved: 5500, moves: 1, filtered: true },
  // A sale that is sent twice, under the same order id of the merchant.
  { kind: 'double', type: 'sale', approved: 'by gate', moves: 1, filtered: true },
  { kind: 'capture', type: 'capture', approved: 9700, moves: 1, filtered: false },
  { kind: 'cancel', type: 'cancel', approved: 9800, moves: 0, filtered: false },
] as const satisfies readonly KindTraits[]

/** The name of a kind. */
export type Kind = (typeof KINDS)[number]['kind']

/** SQL: whether the kind in the column `of` is one of `kinds`. */
export function isKind(of: string, ...kinds: readonly Kind[]): string {
  return pick(
    KINDS.map(({ kind }) => (kinds.includes(kind) ? 1 : 0)),
    of,
  )
}

/** Which part of its root's amount a transaction has. A `full` refund is sometimes partial (`refunded_percent`). */
export const PARTS = [
  'full',
  'first of three',
  'second of three',
  'third of three',
  'most',
  'rest',
] as const

/** The tables of `LAGS`: how long after its root a transaction happens. */
export const LAG_NAMES = ['sameDay', 'refund', 'complaint', 'capture'] as const

/**
 * The stages of a complaint. Each stage is a transaction of its own. `only` is a transaction without stages, or a
 * complaint that ends after its first stage.
 */
export const STAGES = ['only', 'first', 'second', 'third'] as const

/** What the layout fixes of a root's status. */
export const FATES = ['open', 'approved', 'declined'] as const

interface Slot {
  readonly kind: Kind
  readonly fate: (typeof FATES)[number]
  readonly part: (typeof PARTS)[number]
  readonly lag: (typeof LAG_NAMES)[number]
  readonly stage: (typeof STAGES)[number]
  /** The number of its root within the block. */
  readonly root: number
}

type Follower = Pick<Slot, 'kind' | 'lag'> & Partial<Pick<Slot, 'part' | 'stage'>>
type Roots = readonly [
  count: number,
  kind: Kind,
  fate: Slot['fate'],
  followers: readonly Follower[],
]

const REFUND: Follower = { kind: 'refund', lag: 'refund' }
const CHARGEBACK: Follower = { kind: 'chargeback', lag: 'complaint' }
const DISPUTE: Follower = { kind: 'dispute', lag: 'complaint' }
const RETRIEVAL: Follower = { kind: 'retrieval', lag: 'complaint' }
// Not with the other open sales, so that the roots after them keep their numbers.
const PLAIN_SALES: Roots = [2, 'sale', 'open', []]

const inStages = (count: number, follower: Follower): readonly Follower[] => {
  return STAGES.slice(1, 1 + count).map((stage) => ({ ...follower, stage }))
}

/**
 * Sales that the customer or the issuer complains about. Their order gives a later stage a higher number than an
 * earlier one, so a ledger that ends within a block never has a later stage alone.
 */
const DISPUTED: Readonly<Record<'even' | 'odd', readonly Roots[]>> = {
  even: [
    [1, 'sale', 'approved', inStages(2, CHARGEBACK)],
    [1, 'sale', 'approved', [CHARGEBACK]],
    [1, 'sale', 'approved', inStages(2, DISPUTE)],
    PLAIN_SALES,
  ],
  odd: [
    [1, 'sale', 'approved', [CHARGEBACK]],
    [1, 'sale', 'approved', [RETRIEVAL]],
    [1, 'sale', 'approved', inStages(3, CHARGEBACK)],
    PLAIN_SALES,
  ],
}

const THREE_REFUNDS = (['first of three', 'second of three', 'third of three'] as const).map(
  (part): Follower => ({ ...REFUND, part }),
)

/** The roots of a block, in order of kind, and the followers of each. */
function rootsOf(half: 'even' | 'odd'): readonly Roots[] {
  const refunded: readonly Roots[] =
    half === 'even'
      ? [
          [23, 'sale', 'approved', [REFUND]],
          [1, 'sale', 'approved', THREE_REFUNDS],
        ]
      : [[26, 'sale', 'approved', [REFUND]]]
  const capture: Follower = { kind: 'capture', lag: 'capture' }
  return [
    ...refunded,
    ...DISPUTED[half],
    [1, 'sale', 'approved', [{ kind: 'fraud', lag: 'refund' }]],
    [22, 'sale', 'declined', [{ kind: 'retry', lag: 'sameDay' }]],
    [3, 'sale', 'open', [{ kind: 'double', lag: 'sameDay' }]],
    [half === 'even' ? 695 : 693, 'sale', 'open', []],
    [70, 'payout', 'open', []],
    [50, 'transfer', 'open', []],
    [16, 'preauth', 'approved', [capture]],
    [
      4,
      'preauth',
      'approved',
      [
        { ...capture, part: 'most' },
        { ...capture, part: 'rest' },
      ],
    ],
    [5, 'preauth', 'approved', [{ kind: 'cancel', lag: 'capture' }]],
    [5, 'preauth', 'open', []],
    [10, 'verification', 'open', []],
    [4, 'eligibility', 'open', []],
  ]
}

// Coprime to the numbers of roots and followers, so that neighbours have different kinds.
const ROOT_STRIDE = 389
const FOLLOWER_STRIDE = 37

/** The layout, by number modulo `SLOTS`. */
const SLOT_TABLE: readonly Slot[] = [...layOut('even'), ...layOut('odd')]

function layOut(half: 'even' | 'odd'): readonly Slot[] {
  const slots: Slot[] = []
  let [roots, followers] = [0, 0]
  for (const [count, kind, fate, following] of rootsOf(half)) {
    for (let index = 0; index < count; index += 1) {
      const root = (roots * ROOT_STRIDE) % BLOCK_ROOTS
      slots[root] = { kind, fate, part: 'full', lag: 'sameDay', stage: 'only', root }
      roots += 1
      for (const follower of following) {
        const at = (followers * FOLLOWER_STRIDE) % (BLOCK_ROWS - BLOCK_ROOTS)
        slots[BLOCK_ROOTS + at] = { part: 'full', fate: 'open', stage: 'only', ...follower, root }
        followers += 1
      }
    }
  }
  return slots
}

// A slot as one number, because the engine is slow to read tables. The bits count from the lowest.
const CODED = {
  root: { from: 0, bits: 10, of: ({ root }: Slot) => root },
  kind: { from: 10, bits: 4, of: ({ kind }: Slot) => KINDS.findIndex((one) => one.kind === kind) },
  fate: { from: 14, bits: 2, of: ({ fate }: Slot) => FATES.indexOf(fate) },
  part: { from: 16, bits: 3, of: ({ part }: Slot) => PARTS.indexOf(part) },
  lag: { from: 19, bits: 2, of: ({ lag }: Slot) => LAG_NAMES.indexOf(lag) },
  stage: { from: 21, bits: 2, of: ({ stage }: Slot) => STAGES.indexOf(stage) },
}

/** SQL: the coded slot of a number, for `decodeSlot`. */
export function codeOfSlot(n: string): string {
  const codes = SLOT_TABLE.map((slot) => {
    return Object.values(CODED).reduce((code, { from, of }) => code + of(slot) * 2 ** from, 0)
  })
  return pick(codes, `${n} % ${SLOTS}`)
}

/** SQL: one property of a coded slot, as an index of its list or as the root's number in the block. */
export function decodeSlot(what: keyof typeof CODED, code: string): string {
  const { from, bits } = CODED[what]
  return `bitAnd(bitShiftRight(${code}, ${from}), ${2 ** bits - 1})`
}
