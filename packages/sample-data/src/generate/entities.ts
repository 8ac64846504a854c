import { pick, pluck } from './sql.ts'

/**
 * The currencies, the most used first. The index of a currency identifies it. It has the number of fraction digits, the
 * share of a thousand transactions, and a made-up but realistic value of a hundred euros.
 */
export const CURRENCIES = [
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
] as const

/** See {@link CURRENCIES}. */
export type Currency = (typeof CURRENCIES)[number]

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

/** Some merchants move to another manager, from `fromDay` on and within `days`. */
const MOVES = { fromDay: 400, days: 400 }

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

/**
 * Counts the entities of a ledger of `rows` transactions. The numbers grow with the square root of the transactions. At
 * ten million they are those of the catalogue.
 */
export function countEntities(rows: number) {
  const scaled = (atTenMillion: number, least: number): number => {
    return Math.max(least, Math.round(atTenMillion * Math.sqrt(rows / 10_000_000)))
  }
  const merchants = scaled(1000, 10)
  const moreGates = scaled(120, 2 * CURRENCIES.length) - CURRENCIES.length
  return {
    merchants,
    /** They have the most transactions and accept every currency. Each project of another merchant accepts one. */
    largeMerchants: Math.ceil(merchants / 16),
    projects: Math.round(1.6 * merchants),
    /** The gates of each currency. Their ids are consecutive. */
    gates: CURRENCIES.map(({ share }) => 1 + Math.floor((moreGates * share) / 1000)),
    processors: scaled(25, 3),
    companies: scaled(600, 3),
    /** Without their superiors. */
    managers: scaled(12, 4),
    superiors: 3,
    resellers: scaled(40, 3),
    customers: Math.ceil(rows / 8),
  }
}

/** How many entities of each kind there are. */
export type Entities = Readonly<ReturnType<typeof countEntities>>

/**
 * The hierarchy of a ledger as SQL over ids. Transactions and the tables of names use the same expressions. A currency is
 * the index of a currency.
 */
export function hierarchyOf(entities: Entities) {
  const { companies, resellers, managers, merchants, projects, gates, processors } = entities
  const resellerOf = (merchant: string) => {
    // A third of the merchants have no reseller.
    return `if(${merchant} * 37 % 100 < 35, NULL, 1 + ${merchant} % ${resellers})`
  }
  /** A merchant's manager today. If the merchant has a reseller, the reseller's manager. */
  const managerOf = (merchant: string, reseller: string) => {
    return `1 + (ifNull(${reseller}, ${merchant}) + ${managers - 2}) % ${managers}`
  }
  const firstGates = gates.map((_, place) => {
    return gates.slice(0, place).reduce((sum, count) => sum + count, 1)
  })
  const currenciesOfGates = gates.flatMap((count, place) => Array<number>(count).fill(place))
  return {
    companyOf: (merchant: string) => `1 + (${merchant} - 1) % ${companies}`,
    resellerOf,
    managerOf,
    managerOfReseller: (reseller: string) => `1 + (${reseller} + ${managers - 2}) % ${managers}`,
    /** The manager of a merchant on a business day. Some merchants had another manager before. */
    managerOn: (merchant: string, reseller: string, businessDay: string) => {
      const today = managerOf(merchant, reseller)
      // Not for merchants with a reserve: one manager would have the reserve, and another its release.
      const moves = `${merchant} % 7 = 4 AND ${reserveOf(merchant)} = 0 AND isNull(${reseller})`
      const movesOn = `${MOVES.fromDay} + ${merchant} * 37 % ${MOVES.days}`
      return `if(${moves} AND ${businessDay} < ${movesOn}, 1 + (${today}) % ${managers}, ${today})`
    },
    merchantOfProject: (project: string) => `1 + (${project} - 1) % ${merchants}`,
    /** The merchant's first project. For some merchants and three of ten transactions, the second project. */
    projectOf: (merchant: string, ofTen: string) => {
      return `${merchant} + if(${merchant} <= ${projects - merchants} AND ${ofTen} < 3, ${merchants}, 0)`
    },
    gateOf: (project: string, currency: string) => {
      return `${pick(firstGates, currency)} + ${project} % ${pick(gates, currency)}`
    },
    currencyOfGate: (gate: string) => pick(currenciesOfGates, `${gate} - 1`),
    processorOf: (gate: string) => `1 + ${gate} % ${processors}`,
  }
}

export const reserveOf = (merchant: string): string => {
  return `if(${merchant} % 5 = 2, 5 + 5 * (${merchant} % 2), 0)`
}

/** The index in `CURRENCY_PLACES` of the currency of a project with one currency. */
export const currencyDraw = (project: string): string => `${project} * 389 % 1000`

/** The index of the currency in which a project is paid. Most projects are paid in the currency of each transaction. */
export const settlementCurrencyOf = (project: string, currency: string): string => {
  return `multiIf(${project} % 7 = 3, 0, ${project} % 11 = 5, 1, ${currency})`
}

/** An endpoint's id is its project's id, followed by the index of its currency in two digits. */
export const endpointOf = (project: string, currency: string): string => {
  return `${project} * 100 + ${currency}`
}

export const zoneOf = (merchant: string): string => `${merchant} % ${ZONES.length}`

export const categoryOf = (merchant: string): string => `${merchant} % ${CATEGORIES.length}`

/** The indexes of the currencies. Each index appears as often as its share of a thousand. */
export const CURRENCY_PLACES: readonly number[] = CURRENCIES.flatMap(({ share }, place) => {
  return Array<number>(share).fill(place)
})
