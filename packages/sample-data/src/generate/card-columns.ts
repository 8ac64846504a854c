import { FATES, isKind } from './slots.ts'
import { type Columns, draw, hash, pick, pluck, when } from './sql.ts'

const COUNTRIES = ['DE', 'FR', 'PL', 'GB', 'US', 'TR', 'BR', 'IN', 'JP', 'KZ', 'SE', 'CH']

/** Schemes and banks that do not exist. */
const BRANDS = ['ALPHA', 'BETA', 'GAMMA']
const BANKS = ['Harbour', 'Meadow', 'Summit', 'Lantern', 'Orchard', 'Mill', 'Bridge']
const BANK_KINDS = ['Bank', 'Savings', 'Union']
const CARD_KINDS = ['debit', 'credit', 'prepaid']

/** Issuers of cards. The issuer decides a card's first digits, bank, country, brand and kind. */
const ISSUERS = Array.from({ length: 60 }, (_, place) => ({
  // No card of an international scheme begins with a 9.
  bin: String(900_101 + 1597 * place),
  bank: `${BANKS[place % BANKS.length]} ${BANK_KINDS[place % BANK_KINDS.length]}`,
  country: COUNTRIES[place % COUNTRIES.length] ?? '',
  brand: place % 20 < 11 ? 0 : place % 20 < 18 ? 1 : 2,
  kind: place % 7 < 4 ? 0 : place % 7 < 6 ? 1 : 2,
}))

const FIRST_NAMES = ['Anna', 'José', 'Łukasz', 'Zoë', 'Emre', 'Wei', 'Priya', 'João', 'Åsa', 'Olga']
const LAST_NAMES = [
  'Novak',
  'Müller',
  'O’Hara',
  'Sørensen',
  'Yılmaz',
  'Tanaka',
  'Silva',
  'Kowalska',
]
const ADDRESSES = ['192.0.2.', '198.51.100.', '203.0.113.', '2001:db8::']
const PURPOSES = [
  'Winnings',
  'Salary',
  'Refund of a deposit',
  'Family support',
  'Loan; instalment 1/12',
]

const ofIssuer = (of: keyof (typeof ISSUERS)[number], place: string): string => {
  return pluck(ISSUERS, of, place)
}

const padded = (number: string, digits: number): string => {
  return `leftPad(toString(${number}), ${digits}, '0')`
}

const name = (first: readonly string[], last: readonly string[]): string => {
  return `concat(${pick(first, 'first_name')}, ' ', ${pick(last, 'last_name')})`
}

/**
 * The customer, the card, and the receiver of money. A customer has one card. Of any card there are only the first six
 * and the last four digits.
 */
export const CARD_COLUMNS: Columns = {
  card_hash: hash('card', 'customer'),
  person_hash: hash('person', 'customer'),
  method_hash: hash('method', 'n_root'),
  issuer: draw('card_hash', 0, ISSUERS.length),
  brand: ofIssuer('brand', 'issuer'),
  card_type: ofIssuer('kind', 'issuer'),
  first_name: draw('person_hash', 0, FIRST_NAMES.length),
  last_name: draw('person_hash', 1, LAST_NAMES.length),
  is_disbursed: isKind('root_kind', 'payout', 'transfer'),
  is_to_account: `${isKind('root_kind', 'payout')} AND ${draw('method_hash', 0, 10)} < 6`,
  // Returned and retried payments were made by card.
  is_wallet: `${isKind('root_kind', 'sale')} AND root_fate = ${FATES.indexOf('open')}
    AND ${draw('method_hash', 0, 100)} < 6`,
  is_card: `NOT is_wallet AND NOT ${isKind('root_kind', 'payout')}`,
  is_to_card: 'is_disbursed AND NOT is_to_account',
  dest_issuer: draw('method_hash', 1, ISSUERS.length),
  dest_digits: padded(draw('method_hash', 2, 10_000), 4),
  payment_method: "multiIf(is_wallet, 'wallet', is_to_account, 'bank_account', 'card')",
  card_brand: when('is_card', pick(BRANDS, 'brand')),
  card_kind: when('is_card', pick(CARD_KINDS, 'card_type')),
  bin: when('is_card', ofIssuer('bin', 'issuer')),
  last4: when('is_card', padded(draw('card_hash', 1, 10_000), 4)),
  card_country: when('is_card', ofIssuer('country', 'issuer')),
  issuer_bank: when('is_card', ofIssuer('bank', 'issuer')),
  card_holder: when('is_card', name(FIRST_NAMES.map(embossed), LAST_NAMES.map(embossed))),
  card_ref_id: when('is_card', 'toInt64(5000000000 + customer)'),
  dest_bin: when('is_to_card', ofIssuer('bin', 'dest_issuer')),
  dest_last4: when('is_to_card', 'dest_digits'),
  dest_bank: when('is_disbursed', ofIssuer('bank', 'dest_issuer')),
  dest_account_mask: when('is_to_account', "concat('**** ', dest_digits)"),
  customer_name: name(FIRST_NAMES, LAST_NAMES),
  email: "concat('customer', toString(customer), '@example.com')",
  // Telephone numbers that are reserved for films.
  phone: when('customer % 12 != 0', `concat('+44 20 7946 0', ${padded('customer % 1000', 3)})`),
  ip: `concat(${pick(ADDRESSES, draw('method_hash', 3, ADDRESSES.length))},
    toString(${draw('person_hash', 2, 256)}))`,
  // Some customers are abroad.
  ip_country: ofIssuer(
    'country',
    `(issuer + if(${draw('person_hash', 3, 100)} < 4, 5, 0)) % ${ISSUERS.length}`,
  ),
  billing_country: when('customer % 9 != 0', ofIssuer('country', 'issuer')),
  purpose: when('is_disbursed', pick(PURPOSES, `customer % ${PURPOSES.length}`)),
}

/** A name as printed on a card: in upper case and without accents. */
function embossed(text: string): string {
  const letters: Readonly<Record<string, string>> = { Ł: 'L', ł: 'l', ø: 'o', ı: 'i', '’': ' ' }
  const plain = text.replaceAll(/[Łłøı’]/g, (letter) => letters[letter] ?? '')
  return plain.normalize('NFD').replaceAll(/\p{M}/gu, '').toUpperCase()
}
