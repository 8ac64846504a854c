import { REASONS, type Reason, STATUSES, isFailed3ds, reasonsOf } from '@counterfoil/ledger'
import { DAYS } from './calendar.ts'
import { APPROVALS } from './quantiles.ts'
import { FATES, isKind, KINDS, STAGES } from './slots.ts'
import { type Columns, draw, hash, pick, pluck, when } from './sql.ts'
import { date } from './order-columns.ts'

const PROCESSING_DAYS = 2
const PROCESSING_PERCENT = 8

// Roots with a fixed fate are approved less often than sales. The surplus of the others makes up for it.
const APPROVAL_SURPLUS = 60

// Each gate has an outage of 20 to 90 minutes every 15 days, in which six of ten attempts fail.
const OUTAGE_DAYS = 15
const OUTAGE_MINUTES = { least: 20, most: 90 }
const OUTAGE_PERCENT = 60

// Upper bounds among a thousand transactions that are not approved.
const NOT_APPROVED = { declined: 728, filtered: 930, error: 991 }

const SECURED = {
  outcomes: ['failed', 'authenticated', 'attempted', null],
  eci: ['07', '05', '06', '07'],
}
const REASON_CODES = [
  'FR-01 fraud',
  'GS-02 not received',
  'GS-03 not as told',
  'PR-04 twice',
  'AU-05',
]
// By the index of `STAGES`.
const CHARGEBACK_STAGES = ['first', 'first', 'second', 'arbitration']
const DISPUTE_RESULTS = ['won', 'lost']

const place = (status: (typeof STATUSES)[number]): string => String(STATUSES.indexOf(status))

const fate = (name: (typeof FATES)[number]): string => `fate = ${FATES.indexOf(name)}`

const ofReason = (of: keyof Reason): string => pluck(REASONS, of, 'reason')

/** The outcome of a transaction and its reason. `outcome` is an index of `STATUSES`, `reason` an index of `REASONS`. */
export const OUTCOME_COLUMNS: Columns = {
  outcome_hash: hash('outcome', 'n'),
  outage_hash: hash('outage', 'gate_id', `intDiv(day, ${OUTAGE_DAYS})`),
  issuer_hash: hash('issuer', 'n'),
  approved_of_kind: pick(
    KINDS.map(({ approved }) => (approved === 'by gate' ? 0 : approved)),
    'kind',
  ),
  approved_below: `if(approved_of_kind > 0, approved_of_kind,
    ${APPROVAL_SURPLUS} + ${pick(APPROVALS, `gate_id * 7 % ${APPROVALS.length}`)})`,
  outage_minute: `toInt64(day % ${OUTAGE_DAYS} * 1440 + intDiv(day_ms, 60000))
    - toInt64(${draw('outage_hash', 0, (OUTAGE_DAYS - 1) * 1440)})`,
  outage_minutes: `${OUTAGE_MINUTES.least}
    + ${draw('outage_hash', 1, OUTAGE_MINUTES.most - OUTAGE_MINUTES.least + 1)}`,
  misfortune: draw('outcome_hash', 1, 1000),
  luck: draw('outcome_hash', 2, 100),
  is_out: `approved_of_kind = 0 AND luck < ${OUTAGE_PERCENT}
    AND outage_minute >= 0 AND outage_minute < outage_minutes`,
  is_waiting: `approved_of_kind < 10000 AND luck >= ${100 - PROCESSING_PERCENT} AND day >= ${DAYS - PROCESSING_DAYS}`,
  outcome: `multiIf(
    ${fate('approved')}, ${place('approved')},
    ${fate('declined')}, ${place('declined')},
    is_waiting, ${place('processing')},
    is_out, ${place('error')},
    ${draw('outcome_hash', 0, 10_000)} < approved_below, ${place('approved')},
    misfortune < ${NOT_APPROVED.declined}, ${place('declined')},
    misfortune < ${NOT_APPROVED.filtered} AND ${pick(
      KINDS.map(({ filtered }) => (filtered ? 1 : 0)),
      'kind',
    )}, ${place('filtered')},
    misfortune < ${NOT_APPROVED.error}, ${place('error')},
    ${place('unknown')})`,
  reason: pick(STATUSES.flatMap(reasonsOf), `outcome * 100 + ${draw('outcome_hash', 3, 100)}`),
  is_processing: `outcome = ${place('processing')}`,
  is_seen: `NOT is_processing AND outcome != ${place('filtered')}`,
  is_complaint: isKind('kind', 'chargeback', 'retrieval', 'dispute', 'fraud'),
  is_secured: `is_card AND ${isKind('kind', 'sale', 'retry', 'double', 'preauth')}`,
  secured: `multiIf(reason = ${REASONS.findIndex(isFailed3ds)}, 0, ${draw('issuer_hash', 0, 10)} < 6, 1,
    ${draw('issuer_hash', 0, 10)} < 7, 2, 3)`,
  status: pick(STATUSES, 'outcome'),
  response_code: ofReason('response'),
  error_code: ofReason('error'),
  error_message: ofReason('message'),
  decline_group: ofReason('group'),
  filter_rule: ofReason('rule'),
  three_ds: when('is_secured', pick(SECURED.outcomes, 'secured')),
  eci: when('is_secured', pick(SECURED.eci, 'secured')),
  approval_code: when(
    `is_card AND outcome = ${place('approved')}`,
    "leftPad(toString(issuer_hash % 1000000), 6, '0')",
  ),
  rrn: when('is_card AND is_seen', 'toString(100000000000 + issuer_hash % 900000000000)'),
  arn: when(
    'is_card AND moves_money',
    'concat(toString(70000000000 + outcome_hash % 10000000000), toString(100000000000 + delay_hash % 900000000000))',
  ),
  processor_tx_id: when('is_seen', "concat('ptx-', toString(1000000000 + n))"),
  // The stages of a complaint share its reason.
  complaint_hash: hash('issuer', 'if(stage > 0, n_root, n)'),
  reason_code: when(
    'is_complaint',
    pick(REASON_CODES, draw('complaint_hash', 1, REASON_CODES.length)),
  ),
  // The second stage of a dispute is its result.
  dispute_stage: `multiIf(
    ${isKind('kind', 'chargeback')}, ${pick(CHARGEBACK_STAGES, 'stage')},
    NOT ${isKind('kind', 'dispute')}, NULL,
    stage <= ${STAGES.indexOf('first')}, 'represented',
    ${pick(DISPUTE_RESULTS, draw('complaint_hash', 2, DISPUTE_RESULTS.length))})`,
  dispute_due: when(
    isKind('kind', 'chargeback', 'retrieval', 'dispute'),
    date('day + 20 + merchant_id % 11'),
  ),
}
