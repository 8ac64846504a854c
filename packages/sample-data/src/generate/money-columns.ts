import { STATUSES } from '@counterfoil/ledger'
import {
  CATEGORIES,
  type Category,
  categoryOf,
  codeOf,
  type Currency,
  CURRENCIES,
  leastAmount,
  reserveOf,
  worthOf,
} from './entities.ts'
import { LOG_NORMAL, LOG_NORMAL_INTERVALS } from './quantiles.ts'
import { isKind, KINDS, PARTS, STAGES } from './slots.ts'
import { type Columns, draw, hash, pick, pluck, quantile, rounded, when } from './sql.ts'
import { date } from './order-columns.ts'

// Amounts are whole ten-thousandths, as the ledger's decimals are. Exchange rates are whole 10^-8ths.
const SCALE = 10_000
const RATE_SCALE = 100_000_000

/** The limits of a payment, in ten-thousandths of a euro. */
const PRICE = { least: SCALE / 2, most: 15_000 * SCALE }

/** A payout is as large as several sales: 160 euros at the median of all shops. */
const PAYOUT_SALES = { tenths: 42, spread: 'narrow' } as const

const TARIFFS = 12
const RESERVE_DAYS = 180

/** In hundredths of a percent. The two commissions are shares of the gateway's fee. */
const RATES = {
  gateway: '180 + 15 * tariff',
  processor: '40',
  scheme: '8 + brand',
  interchange: pick([20, 60, 100], 'card_type'),
  reseller: '1500',
  manager: '300',
}

/** In cents of a euro. */
const FEES = { chargeback: 1500, refund: 30, other: 20, processor: 5 }

const SPREADS = ['narrow', 'medium', 'wide'] as const
const PRICES = SPREADS.flatMap((spread) => [...LOG_NORMAL[spread]])

const inCurrency = (place: string, of: (currency: Currency) => number): string => {
  return pick(CURRENCIES.map(of), place)
}

const worth = (cents: number): string => {
  return inCurrency('settled_in', (currency) => worthOf(currency, cents))
}

const ofCategory = (of: (category: Category) => number): string =>
  pick(CATEGORIES.map(of), 'category')

/** A share of an amount in the settlement currency, in hundredths of a percent. */
const share = (amount: string, hundredths: string): string => {
  return rounded(`${amount} * (${hundredths})`, 'settled_least', 10_000)
}

const percent = (of: string): string => rounded(`root_amount * ${of}`, 'least_amount', 100)

const isPart = (name: (typeof PARTS)[number]): string => `part = ${PARTS.indexOf(name)}`

const decimal = (amount: string): string => `reinterpret(toInt64(${amount}), 'Decimal64(4)')`

/** The amounts: `root_amount` is the root's, `price` the transaction's own. */
const PRICE_COLUMNS: Columns = {
  price_hash: hash('price', 'n_root'),
  part_hash: hash('part', 'n'),
  category: categoryOf('merchant_id'),
  least_amount: inCurrency('priced_in', leastAmount),
  median_tenths: `${ofCategory(({ euros }) => euros)}
    * if(${isKind('root_kind', 'payout')}, ${PAYOUT_SALES.tenths}, 10)`,
  spread: `if(is_disbursed, ${SPREADS.indexOf(PAYOUT_SALES.spread)},
    ${ofCategory(({ spread }) => SPREADS.indexOf(spread))})`,
  thousandths: quantile(
    PRICES,
    draw('price_hash', 0, 65_536),
    LOG_NORMAL_INTERVALS,
    `spread * ${LOG_NORMAL_INTERVALS + 1}`,
  ),
  // Tenths of euros times thousandths of the median are ten-thousandths.
  worth: `least(${PRICE.most}, greatest(${PRICE.least}, median_tenths * thousandths))`,
  exact: rounded(
    `worth * ${inCurrency('priced_in', ({ perHundredEuros }) => perHundredEuros)}`,
    'least_amount',
    100,
  ),
  taste: draw('price_hash', 1, 100),
  // Three of ten prices end in .99 or .00.
  root_amount: `toInt64(multiIf(
    ${isKind('root_kind', 'verification', 'eligibility')}, 0,
    taste >= 30 OR exact < ${SCALE} OR least_amount = ${SCALE}, exact,
    intDiv(exact, ${SCALE}) * ${SCALE} + if(taste < 15, ${0.99 * SCALE}, 0)))`,
  most: percent('60'),
  // With the refunds in three parts, 12% of all refunds are partial.
  refunded_percent: `if(${draw('part_hash', 0, 1000)} < 66, 10 + ${draw('part_hash', 1, 80)}, 100)`,
  price: `multiIf(
    ${isPart('first of three')}, ${percent('30')},
    ${isPart('second of three')}, ${percent('25')},
    ${isPart('third of three')}, ${percent('20')},
    ${isPart('most')}, most, ${isPart('rest')}, root_amount - most,
    ${isKind('kind', 'refund')} AND refunded_percent < 100, ${percent('refunded_percent')},
    root_amount)`,
}

/** The settlement, in its currency. Transactions that move no money have none. */
const SETTLEMENT_COLUMNS: Columns = {
  rate_hash: hash('rate', 'day', 'priced_in', 'settled_in'),
  settled_least: inCurrency('settled_in', leastAmount),
  tariff: `toInt64(1 + merchant_id % ${TARIFFS})`,
  // The first stage of a chargeback takes the money. A later stage moves none.
  moves: `toInt64(if(outcome = ${STATUSES.indexOf('approved')} AND stage <= ${STAGES.indexOf('first')}, ${pluck(KINDS, 'moves', 'kind')}, 0))`,
  moves_money: 'moves != 0',
  is_sold: `moves > 0 AND ${isKind('kind', 'sale', 'retry', 'double', 'capture')}`,
  is_reserved: 'is_sold AND reserve_percent > 0',
  reserve_percent: reserveOf('merchant_id'),
  release_day: `business_day + ${RESERVE_DAYS}`,
  // A day's exchange rate is within 1.5% of the usual one.
  fx: `toInt64(if(priced_in = settled_in, ${RATE_SCALE},
    intDiv(intDiv(${RATE_SCALE} * ${inCurrency('settled_in', ({ perHundredEuros }) => perHundredEuros)},
    ${inCurrency('priced_in', ({ perHundredEuros }) => perHundredEuros)})
    * (9850 + ${draw('rate_hash', 0, 301)}), 10000)))`,
  settled: `if(priced_in = settled_in, price, ${rounded('price * fx', 'settled_least', RATE_SCALE)})`,
  gateway_part: `multiIf(
    ${isKind('kind', 'chargeback')}, ${worth(FEES.chargeback)},
    ${isKind('kind', 'refund')}, ${worth(FEES.refund)},
    ${worth(FEES.other)} + ${share('settled', RATES.gateway)})`,
  reserved: `if(is_reserved, ${share('settled', '100 * reserve_percent')}, 0)`,
}

/** The money of a transaction. */
export const MONEY_COLUMNS: Columns = {
  ...PRICE_COLUMNS,
  ...SETTLEMENT_COLUMNS,
  amount: decimal('price'),
  currency: codeOf('priced_in'),
  settlement_amount: when('moves_money', decimal('settled')),
  settlement_currency: when('moves_money', codeOf('settled_in')),
  fx_rate: when('moves_money', "reinterpret(fx, 'Decimal64(8)')"),
  gateway_fee: when('moves_money', decimal('gateway_part')),
  processor_fee: when(
    'moves_money',
    decimal(
      `if(${isKind('kind', 'chargeback', 'refund')}, ${worth(FEES.processor)}, ${share('settled', RATES.processor)})`,
    ),
  ),
  interchange_fee: when('is_sold AND is_card', decimal(share('settled', RATES.interchange))),
  scheme_fee: when('is_sold AND is_card', decimal(share('settled', RATES.scheme))),
  reseller_commission: when(
    'moves_money AND isNotNull(reseller_id)',
    decimal(share('gateway_part', RATES.reseller)),
  ),
  manager_commission: when('moves_money', decimal(share('gateway_part', RATES.manager))),
  reserve_amount: when('is_reserved', decimal('reserved')),
  reserve_release: when(
    'is_reserved',
    date(`release_day + ${pick([0, 0, 0, 0, 0, 2, 1], 'release_day % 7')}`),
  ),
  net_amount: when('moves_money', decimal('moves * settled - gateway_part - reserved')),
  tariff_id: when('moves_money', 'tariff'),
}
