/** The share of each transaction type among all transactions, in percent. */
export const TYPE_SHARES: readonly (readonly [type: string, share: number])[] = [
  ['sale', 77.5],
  ['payout', 7],
  ['transfer', 5],
  ['preauth', 3],
  ['capture', 2.4],
  ['reversal', 2.6],
  ['account_verification', 1],
  ['cancel', 0.5],
  ['pan_eligibility', 0.4],
  ['chargeback', 0.35],
  ['dispute', 0.1],
  ['fraud', 0.1],
  ['retrieval', 0.05],
]

/** The share of some statuses among the transactions of a type, in percent, and how far the share may be off. */
export const STATUS_SHARES: readonly (readonly [
  type: string,
  status: string,
  share: number,
  within: number,
])[] = [
  ['sale', 'approved', 74, 2],
  ['sale', 'declined', 19, 2],
  ['sale', 'filtered', 4.5, 0.7],
  ['sale', 'error', 1.5, 0.4],
  ['sale', 'unknown', 0.2, 0.1],
  ['payout', 'approved', 92, 1],
  ['reversal', 'approved', 97, 1],
]

/** The share of some currencies among all transactions, in percent, and how far the share may be off. */
export const CURRENCY_SHARES: readonly (readonly [
  currency: string,
  share: number,
  within: number,
])[] = [
  ['EUR', 37, 3],
  ['USD', 27, 3],
  ['GBP', 9, 2],
  ['JPY', 3, 1],
  ['KWD', 0.3, 0.15],
]

/** The share of some response codes among the declined transactions, in percent. */
export const DECLINE_SHARES: readonly (readonly [code: string, share: number])[] = [
  ['05', 30],
  ['51', 27],
  ['91', 3],
]
