import type { STATUSES } from './model.ts'

type Status = (typeof STATUSES)[number]

/** Why a transaction has its status. */
export interface Reason {
  readonly status: Status
  /** How many of a hundred transactions with this status have this reason. */
  readonly share: number
  /** The issuer's answer. */
  readonly response: string | null
  readonly error: number | null
  readonly message: string | null
  readonly group: 'acquirer' | 'filter' | 'technical' | null
  readonly rule: string | null
}

/** Whether a payment failed in 3-D Secure, before the issuer was asked. */
export const isFailed3ds = ({ error }: Reason): boolean => error === 1100

const declined = (
  share: number,
  response: string,
  message: string,
  group: 'acquirer' | 'technical' = 'acquirer',
): Reason => {
  // The letters of a response code stand for the digits 10 and up.
  const error = 1000 + Number.parseInt(response, 36)
  return { status: 'declined', share, response, error, message, group, rule: null }
}

const filtered = (share: number, error: number, rule: string, message: string): Reason => {
  return { status: 'filtered', share, response: null, error, message, group: 'filter', rule }
}

const failed = (share: number, error: number, message: string): Reason => {
  return { status: 'error', share, response: null, error, message, group: 'technical', rule: null }
}

const nothing = { share: 100, response: null, error: null, message: null, group: null, rule: null }

/** All reasons. The index of a reason identifies it. */
export const REASONS: readonly Reason[] = [
  { ...nothing, status: 'approved', response: '00' },
  declined(30, '05', 'Do not honour'),
  declined(27, '51', 'Insufficient funds'),
  declined(5, '57', 'Not permitted to the cardholder'),
  declined(4, '62', 'Restricted card'),
  declined(5, '61', 'Exceeds the amount limit'),
  declined(3, '65', 'Exceeds the frequency limit'),
  {
    ...declined(8, '', '3-D Secure failed'),
    response: null,
    error: 1100,
  },
  declined(4, '54', 'Expired card'),
  declined(4, '14', 'Invalid card number'),
  declined(4, 'N7', 'Wrong card verification value'),
  declined(3, '91', 'Issuer unavailable', 'technical'),
  declined(1, '96', 'System malfunction', 'technical'),
  declined(1, '41', 'Lost card'),
  declined(1, '43', 'Stolen card'),
  filtered(40, 2001, 'velocity-card', 'Too many payments with this card'),
  filtered(25, 2002, 'country-mismatch', 'The countries of card and address differ'),
  filtered(15, 2003, 'amount-limit', 'Over the limit of the endpoint'),
  filtered(12, 2004, 'blocked-bin', 'Cards of this issuer are not taken'),
  filtered(8, 2005, 'risk-score', 'The risk is too high'),
  failed(60, 3001, 'The processor did not answer in time'),
  failed(30, 3002, 'The connection to the processor was lost'),
  failed(10, 3003, 'The processor’s answer could not be read'),
  { ...nothing, status: 'processing' },
  { ...nothing, status: 'unknown', error: 3004, message: 'The outcome is not known yet' },
]

/** The indexes of a status's reasons. Each index appears as many times as its share. */
export function reasonsOf(status: Status): readonly number[] {
  return REASONS.flatMap((reason, place) => {
    return reason.status === status ? Array<number>(reason.share).fill(place) : []
  })
}
