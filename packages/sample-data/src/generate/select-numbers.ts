import { blocksOf, type Calendar, type DayRange, DAYS } from './calendar.ts'
import { LAG_DAYS_MAX, LAG_INTERVALS, LAGS } from './quantiles.ts'
import { BLOCK_ROOTS, BLOCK_ROWS, codeOfSlot, decodeSlot, LAG_NAMES } from './slots.ts'
import { draw, hash, pick, quantile, selectLayered } from './sql.ts'

// A stage begins this many days after the stage before it.
const STAGE_DAYS = 25

const LAG_TABLE = LAG_NAMES.flatMap((name) => [...LAGS[name]])

// In days, by weekday from Monday.
const BUSINESS_DAY_AFTER = [1, 1, 1, 1, 3, 2, 1]

/** The columns of `selectNumbers`. */
export const NUMBER_COLUMNS = [
  /** The number of the transaction. */
  'n',
  /** The number of its root. A root has its own. */
  'n_root',
  /** Indexes of `KINDS`, `FATES`, `PARTS` and `STAGES`. */
  'kind',
  'fate',
  'part',
  'stage',
  /** Its day, and its root's day. */
  'day',
  'root_day',
  /** The business day of its settlement. */
  'business_day',
  /** The index of the root on its day. */
  'place',
  /** A hash for the time on the day. Its lower half is already used. */
  'lag_hash',
] as const

/** Selects the numbers of the transactions of some days, and the columns that follow from a number alone. */
export function selectNumbers(calendar: Calendar, days: DayRange): string {
  const { first, count } = blocksOf(calendar, days, LAG_DAYS_MAX)
  const { starts, guide, guideStep } = calendar
  const lagTable = `${LAG_INTERVALS + 1} * ${decodeSlot('lag', 'slot')}`
  const made = {
    slot: codeOfSlot('n'),
    lag_hash: hash('lag', 'n'),
    n_root: `n - n % ${BLOCK_ROWS} + ${decodeSlot('root', 'slot')}`,
    root: `intDiv(n_root, ${BLOCK_ROWS}) * ${BLOCK_ROOTS} + n_root % ${BLOCK_ROWS}`,
    near_day: pick(guide, `intDiv(root, ${guideStep})`),
    root_day: `near_day + (root >= ${pick(starts, 'near_day + 1')})`,
    // The stages of a complaint share the draw of their lag. The first comes twice as fast as a complaint without more
    // stages, so that the third comes within `LAG_DAYS_MAX`.
    drawn_lag: draw(`if(stage > 0, ${hash('lag', 'n_root')}, lag_hash)`, 0, 65_536),
    lag: `intDiv(${quantile(LAG_TABLE, 'drawn_lag', LAG_INTERVALS, lagTable)}, 10)`,
    stage_lag: `intDiv(lag, 2) + ${STAGE_DAYS} * (stage - 1)`,
    days_left: `${DAYS} - root_day`,
    // A lag that would pass the end of the ledger is shortened. The stages of a complaint are all shortened by the same
    // factor, which keeps their order.
    day: `toInt64(root_day + multiIf(
      stage > 0, intDiv(stage_lag * least(days_left, ${LAG_DAYS_MAX + 1}), ${LAG_DAYS_MAX + 1}),
      lag < days_left, lag, lag % days_left))`,
    business_day: `day + ${pick(BUSINESS_DAY_AFTER, 'day % 7')}`,
    place: `root - ${pick(starts, 'root_day')}`,
    kind: decodeSlot('kind', 'slot'),
    fate: decodeSlot('fate', 'slot'),
    part: decodeSlot('part', 'slot'),
    stage: decodeSlot('stage', 'slot'),
  }
  const numbers = `SELECT number AS n FROM numbers(${first}, ${count})`
  return `SELECT * FROM (${selectLayered(numbers, ['n'], made, NUMBER_COLUMNS)})
    WHERE day >= ${days[0]} AND day < ${days[1]}`
}
