import { CLOCK_CHANGE_DAYS, DAYS, FIRST_DAY_NUMBER } from './calendar.ts'
import { ZONES, zoneOf } from './entities.ts'
import { DAYTIME_INTERVALS, DAYTIME_SECONDS } from './quantiles.ts'
import { isKind, STAGES } from './slots.ts'
import { type Columns, draw, drawLarge, hash, pick, quantile, when } from './sql.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const SAME_ORDER_WITHIN_MS = 600_000
const SETTLED_AT_HOUR = 18

const instant = (ms: string): string => `reinterpret(toInt64(${ms}), 'DateTime64(3, \\'UTC\\')')`

/** A day of the ledger, as the engine stores days. */
export const date = (day: string): string => `toDate32(${FIRST_DAY_NUMBER} + ${day})`

/**
 * When a transaction is created, processed, settled and last changed. The first transaction of each day is in the day's
 * last millisecond, the second in its first. On a day of a clock change, two more are half an hour before and after the
 * change.
 */
export const TIME_COLUMNS: Columns = {
  time_hash: hash('time', 'n_root'),
  delay_hash: hash('delay', 'n'),
  offset_ms: pick(
    ZONES.map(({ offsetMinutes }) => offsetMinutes * 60_000),
    zoneOf('merchant_id'),
  ),
  clock_change: `transform(root_day, [${CLOCK_CHANGE_DAYS.map(({ day }) => day).join(', ')}],
    [${CLOCK_CHANGE_DAYS.map(({ hour }) => hour).join(', ')}], 0)`,
  shop_ms: `1000 * (${quantile(DAYTIME_SECONDS, draw('time_hash', 0, 65_536), DAYTIME_INTERVALS)})
    + ${draw('time_hash', 1, 1000)}`,
  root_ms: `multiIf(place = 0, ${DAY_MS - 1}, place = 1, 0,
    place < 4 AND clock_change > 0, clock_change * ${HOUR_MS} + (2 * place - 5) * ${HOUR_MS / 2},
    (shop_ms + ${DAY_MS} - offset_ms) % ${DAY_MS})`,
  start_ms: 'if(day = root_day, root_ms, 0)',
  // A follower on the same day comes after its root and before midnight.
  span_ms: `if(day = root_day, least(${DAY_MS - 1} - root_ms,
    if(${isKind('kind', 'retry', 'double')}, ${SAME_ORDER_WITHIN_MS}, ${DAY_MS})), ${DAY_MS})`,
  // Stages of a complaint on the same day follow each other: each has a third of the span.
  stage_span_ms: `intDiv(span_ms, ${STAGES.length - 1})`,
  day_ms: `multiIf(n = n_root, root_ms,
    stage > 0, start_ms + (stage - 1) * stage_span_ms + ${drawLarge('lag_hash', 1, 'stage_span_ms')},
    start_ms + ${drawLarge('lag_hash', 1, 'span_ms')})`,
  created_ms: `toInt64((${FIRST_DAY_NUMBER} + day) * ${DAY_MS} + day_ms)`,
  // Accounts are slower than cards.
  processed_ms: `created_ms + if(is_to_account, 60000, 300) + ${draw('delay_hash', 0, 20_000)}`,
  settled_ms: `(${FIRST_DAY_NUMBER} + business_day) * ${DAY_MS} + ${SETTLED_AT_HOUR * HOUR_MS}
    + 1000 * (project_id % 3600)`,
  updated_ms: 'toInt64(multiIf(is_settled, settled_ms, is_processing, created_ms, processed_ms))',
  is_settled: `moves_money AND business_day < ${DAYS}`,
  created_at: instant('created_ms'),
  processed_at: when('NOT is_processing', instant('processed_ms')),
  bank_date: when('is_settled', date('business_day')),
  settled_at: when('is_settled', instant('settled_ms')),
  updated_at: instant('updated_ms'),
  row_version: 'updated_ms',
}
