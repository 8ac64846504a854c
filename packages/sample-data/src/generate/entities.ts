import { pick, pluck } from './sql.ts'

/** A currency of the demo's ledger. */
export interface Currency {
  readonly code: string
  /** How many fraction digits its amounts have. */
  readonly exponent: number
  /** How many of a thousand transactions are in this currency. */
  readonly share: number
  /** The value of a hundred euros, made up but realistic. */
  readonly perHundredEuros: number
}

/** The currencies, the most used first. The index of a currency identifies it. */
export const CURRENCIES: readonly Currency[] = [
  { code: 'EUR', exponent: 2, share: 370, perHundredEuros: 100 },
  { code: 'USD', exponent: 2, share: 270, perHundredEuros: 108 },
  { code: 'GBP', exponent: 2, share: 90, perHundredEuros: 85 },
  { code: 'PLN', exponent: 2, share: 60, perHundredEuros: 430 },
  { code: 'TRY', exponent: 2, share: 50, perHundredEuros: 3500 },
  { code: 'BRL', exponent: 2, share: 40, perHundredEuros: 590 },
  { code: 'INR', exponent: 2, share: 40, perHundredEuros: 9100 },
  { code: 'JPY', exponent: 0, share: 30, perHundredEuros: 16_300 },
  { code: 'KZT', exponent: 2, share: 20, perHundredEuros: 51_000 },
  { code: 'CHF', exponent: 2, share: 10, perHundredEuros: 94 },
  { code: 'SEK', exponent: 2, share: 8, perHundredEuros: 1130 },
  { code: 'KRW', exponent: 0, share: 6, perHundredEuros: 148_000 },
  { code: 'KWD', exponent: 3, share: 3, perHundredEuros: 33 },
  { code: 'TND', exponent: 3, share: 2, perHundredEuros: 338 },
  { code: 'BHD', exponent: 3, share: 1, perHundredEuros: 41 },
]

/**
 * The smallest amount of a currency in ten-thousandths, the ledger's scale. All amounts are computed in
 * ten-thousandths.
 */
export function leastAmount({ exponent }: Currency): number {
  return 10 ** (4 - exponent)
}

/** The amount of a currency, in ten-thousandths, that is worth about `euroCents`. */
export function worthOf(currency: Currency, euroCents: number): number {
  const least = leastAmount(currency)
  return Math.max(1, Math.round((euroCents * currency.perHundredEuros) / least)) * least
}

/** The code of the currency at an index of `CURRENCIES`. */
export const codeOf = (place: string): string => pluck(CURRENCIES, 'code', place)

/** How many entities of each kind there are. The numbers grow with the square root of the transactions. */
export interface Entities {
  readonly merchants: number
  /**
   * The merchants with the most transactions. They accept every currency; the other merchants accept one currency in
   * each project.
   */
  readonly largeMerchants: number
  readonly projects: number
  /** The gates of each currency. Their ids are consecutive. */
  readonly gates: readonly number[]
  readonly processors: number
  readonly companies: number
  /** Without their superiors. */
  readonly managers: number
  readonly superiors: number
  readonly resellers: number
  readonly customers: number
}

/** Some merchants move to another manager, from `fromDay` on and within `days`. */
const MOVES = { fromDay: 400, days: 400 }

/** An endpoint's id is its project's id, followed by the index of its currency in two digits. */
const PROJECT_STEP = 100

/** Categories of shops. */
export const CATEGORIES = [
  { mcc: '5411', euros: 32, spread: 'narrow', complaints: 1 },
  { mcc: '5999', euros: 45, spread: 'medium', complaints: 4 },
  { mcc: '5651', euros: 64, spread: 'medium', complaints: 7 },
  { mcc: '5816', euros: 9, spread: 'narrow', complaints: 5 },
  { mcc: '5812', euros: 24, spread: 'narrow', complaints: 2 },
  { mcc: '4722', euros: 180, spread: 'wide', complaints: 8 },
  { mcc: '4814', euros: 15, spread: 'narrow', complaints: 3 },
  { mcc: '5732', euros: 120, spread: 'wide', complaints: 6 },
] as const

/**
 * A category of shops: its code, its median price in euros, how far prices spread, and how often payments come back.
 */
export type Category = (typeof CATEGORIES)[number]

/** The time zones of shops. The offset is that of winter. */
export const ZONES = [
  { name: 'Europe/London', offsetMinutes: 0 },
  { name: 'Europe/Berlin', offsetMinutes: 60 },
  { name: 'America/New_York', offsetMinutes: -300 },
  { name: 'Europe/Warsaw', offsetMinutes: 60 },
  { name: 'Asia/Kolkata', offsetMinutes: 330 },
  { name: 'Europe/Istanbul', offsetMinutes: 180 },
  { name: 'America/Sao_Paulo', offsetMinutes: -180 },
  { name: 'Asia/Tokyo', offsetMinutes: 540 },
  { name: 'Asia/Almaty', offsetMinutes: 300 },
] as const

/** Counts the entities of a ledger of `rows` transactions. At ten million the counts are those of the catalogue. */
export function countEntities(rows: number): Entities {
  const scaled = (atTenMillion: number, least: number): number => {
    return Math.max(least, Math.round(atTenMillion * Math.sqrt(rows / 10_000_000)))
  }
  const merchants = scaled(1000, 10)
  const moreGates = scaled(120, 2 * CURRENCIES.length) - CURRENCIES.length
  return {
    merchants,
    largeMerchants: Math.ceil(merchants / 16),
    projects: Math.round(1.6 * merchants),
    gates: CURRENCIES.map(({ share }) => 1 + Math.floor((moreGates * share) / 1000)),
    processors: scaled(25, 3),
    companies: scaled(600, 3),
    managers: scaled(12, 4),
    superiors: 3,
    resellers: scaled(40, 3),
    customers: Math.ceil(rows / 8),
  }
}

// The hierarchy as SQL over ids. Transactions and the tables of names use the same expressions.

export const companyOf = ({ companies }: Entities, merchant: string): string => {
  return `1 + (${merchant} - 1) % ${companies}`
}

/** A third of the merchants have no reseller. */
export const resellerOf = ({ resellers }: Entities, merchant: string): string => {
  return `if(${merchant} * 37 % 100 < 35, NULL, 1 + ${merchant} % ${resellers})`
}

/** A merchant's manager today. If the merchant has a reseller, the reseller's manager. */
export const managerOf = (entities: Entities, merchant: string, reseller: string): string => {
  const place = `ifNull(${reseller}, ${merchant}) + ${entities.managers - 2}`
  return `1 + (${place}) % ${entities.managers}`
}

export const managerOfReseller = ({ managers }: Entities, reseller: string): string => {
  return `1 + (${reseller} + ${managers - 2}) % ${managers}`
}

/** The manager of a merchant on a business day. Some merchants had another manager before. */
export const managerOn = (
  entities: Entities,
  merchant: string,
  reseller: string,
  businessDay: string,
): string => {
  const today = managerOf(entities, merchant, reseller)
  // Not for merchants with a reserve: one manager would have the reserve, and another its release.
  const moves = `${merchant} % 7 = 4 AND ${reserveOf(merchant)} = 0 AND isNull(${reseller})`
  const movesOn = `${MOVES.fromDay} + ${merchant} * 37 % ${MOVES.days}`
  return `if(${moves} AND ${businessDay} < ${movesOn}, 1 + (${today}) % ${entities.managers}, ${today})`
}

/** The reserve of a merchant's sales, in percent. */
export const reserveOf = (merchant: string): string => {
  return `if(${merchant} % 5 = 2, 5 + 5 * (${merchant} % 2), 0)`
}

export const merchantOfProject = ({ merchants }: Entities, project: string): string => {
  return `1 + (${project} - 1) % ${merchants}`
}

/** The merchant's first project. For some merchants and three of ten transactions, the second project. */
export const projectOfMerchant = (
  { merchants, projects }: Entities,
  merchant: string,
  ofTen: string,
): string => {
  return `${merchant} + if(${merchant} <= ${projects - merchants} AND ${ofTen} < 3, ${merchants}, 0)`
}

/** The index in `currencyPlaces` of the currency of a project with one currency. */
export const currencyDraw = (project: string): string => `${project} * 389 % 1000`

/** The index of the currency in which a project is paid. Most projects are paid in the currency of each transaction. */
export const settlementCurrencyOf = (project: string, currency: string): string => {
  return `multiIf(${project} % 7 = 3, 0, ${project} % 11 = 5, 1, ${currency})`
}

export const endpointOf = (project: string, currency: string): string => {
  return `${project} * ${PROJECT_STEP} + ${currency}`
}

export const gateOf = ({ gates }: Entities, project: string, currency: string): string => {
  return `${pick(firstGates(gates), currency)} + ${project} % ${pick(gates, currency)}`
}

export const currencyOfGate = ({ gates }: Entities, gate: string): string => {
  return pick(
    gates.flatMap((count, place) => Array<number>(count).fill(place)),
    `${gate} - 1`,
  )
}

export const processorOf = ({ processors }: Entities, gate: string): string => {
  return `1 + ${gate} % ${processors}`
}

export const zoneOf = (merchant: string): string => `${merchant} % ${ZONES.length}`

export const categoryOf = (merchant: string): string => `${merchant} % ${CATEGORIES.length}`

/** The indexes of the currencies. Each index appears as often as its share of a thousand. */
export function currencyPlaces(): readonly number[] {
  return CURRENCIES.flatMap(({ share }, place) => Array<number>(share).fill(place))
}

function firstGates(gates: readonly number[]): readonly number[] {
  return gates.map((_, place) => gates.slice(0, place).reduce((sum, count) => sum + count, 1))
}
