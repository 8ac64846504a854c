import { blocksOf, type Calendar, type DayRange, DAYS } from './calendar.ts'
import { LAG_DAYS_MAX, LAG_INTERVALS, LAGS } from './quantiles.ts'
import { BLOCK_ROOTS, BLOCK_ROWS, codeOfSlot, decodeSlot, LAG_NAMES } from './slots.ts'
import { draw, hash, pick, quantile, selectLayered } from './sql.ts'

const LAG_TABLE = LAG_NAMES.flatMap((name) => [...LAGS[name]])

// In days, by weekday from Monday.
const BUSINESS_DAY_AFTER = [1, 1, 1, 1, 3, 2, 1]

/** The columns of `selectNumbers`. */
export const NUMBER_COLUMNS = [
  /** Its number. */
  'n',
  /** That of what it follows from; its own for a root. */
  'n_root',
  /** Places in `KINDS`, `FATES` and `PARTS`. */
  'kind',
  'fate',
  'part',
  /** Its day and its root's. */
  'day',
  'root_day',
  /** The day that would settle it. */
  'business_day',
  /** The root's place among those of its day. */
  'place',
  /** For when on the day it comes: the lower half is used up. */
  'lag_hash',
] as const

/** The numbers of the transactions of some days, and what follows from a number alone. */
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
    // What would come after the end comes as much too early as it has to.
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
