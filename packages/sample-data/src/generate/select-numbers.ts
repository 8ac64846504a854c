import { blocksOf, type Calendar, type DayRange, DAYS } from './calendar.ts'
import { LAG_DAYS_MAX, LAG_INTERVALS, LAGS } from './quantiles.ts'
import { BLOCK_ROOTS, BLOCK_ROWS, codeOfSlot, decodeSlot, LAG_NAMES } from './slots.ts'
import { draw, hash, pick, quantile, selectLayered } from './sql.ts'

const LAG_TABLE = LAG_NAMES.flatMap((name) => [...LAGS[name]])

// In days, by weekday from Monday.
const BUSINESS_DAY_AFTER = [1, 1, 1, 1, 3, 2, 1]

/** The columns of `selectNumbers`. */
export const NUMBER_COLUMNS = [
  /** The number of the transaction. */
  'n',
  /** The number of its root. A root has its own. */
  'n_root',
  /** Indexes of `KINDS`, `FATES` and `PARTS`. */
  'kind',
  'fate',
  'part',
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
    lag: `intDiv(${quantile(LAG_TABLE, draw('lag_hash', 0, 65_536), LAG_INTERVALS, lagTable)}, 10)`,
    // A lag that would pass the end of the ledger is shortened.
    day: `toInt64(root_day + if(lag < ${DAYS} - root_day, lag, lag % (${DAYS} - root_day)))`,
    business_day: `day + ${pick(BUSINESS_DAY_AFTER, 'day % 7')}`,
    place: `root - ${pick(starts, 'root_day')}`,
    kind: decodeSlot('kind', 'slot'),
    fate: decodeSlot('fate', 'slot'),
    part: decodeSlot('part', 'slot'),
  }
  const numbers = `SELECT number AS n FROM numbers(${first}, ${count})`
  return `SELECT * FROM (${selectLayered(numbers, ['n'], made, NUMBER_COLUMNS)})
    WHERE day >= ${days[0]} AND day < ${days[1]}`
}
