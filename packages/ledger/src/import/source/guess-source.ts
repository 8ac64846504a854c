import { literal, literals } from '@counterfoil/engine'
import type { Look } from './look-at-data.ts'
import { identifier } from './stage-file.ts'

const WORDS_MAX = 12
/** A card number that may be masked, or a part of one. */
const CARD = /^[\dx*•. -]*$/i

/** Names of columns in other systems, for each column of the ledger. The first column that matches is taken. */
const NAMES: readonly (readonly [column: string, names: RegExp])[] = [
  [
    'transaction_id',
    /^((transaction|txn?|payment|payout|balance_transaction)_?id|id|psp_?reference|(transaction_?)?reference)$/,
  ],
  ['order_id', /^(order(_?(id|number|no))?|source(_id)?|attempt_of)$/],
  [
    'client_order_id',
    /^(client_?order(_?id)?|merchant_?(reference|oid|order(_?id)?)|invoice(_?(id|number|no))?)$/,
  ],
  [
    'original_transaction_id',
    /^((original|parent|related)_?(transaction|payment|txn?|psp)?_?(id|reference))$/,
  ],
  ['transaction_type', /^((transaction|event|record)_?type|type|kind)$/],
  ['status', /^((transaction|payment)_?status|status|state|result)$/],
  [
    'created_at',
    /^(created(_?(at|on|date|utc))?|creation_?date|booked(_?at)?|booking_?date|(transaction_?)?(date|time|timestamp|date_?time)|paid_?at)$/,
  ],
  ['updated_at', /^(updated|modified|changed)(_?(at|on|date))?$/],
  ['amount', /^((transaction|gross)_?)?(amount|gross|total|value)(_?(minor|cents))?$/],
  ['currency', /^((transaction|gross)_?)?(currency(_?code)?|ccy|curr)$/],
  ['net_amount', /^(net(_?amount)?)$/],
  ['gateway_fee', /^(fees?(_?amount)?|commission)$/],
  [
    'merchant_id',
    /^(merchant(_?(id|account|code))?|account(_?id)?|mid|shop(_?id)?|store(_?id)?|seller(_?id)?)$/,
  ],
  ['payment_method', /^(payment_?method|method)$/],
  ['card_brand', /^(card_?)?(brand|scheme|network)$/],
  ['bin', /^((masked_?)?(pan|card(_?(number|no|mask))?)|(card_?)?bin|iin)$/],
  ['last4', /^((masked_?)?(pan|card(_?(number|no|mask))?)|(card_?)?last_?(4|four)(_?digits)?)$/],
  ['email', /^((customer|shopper)_?)?e_?mail$/],
  ['order_description', /^(description|narrative|memo|text|subject)$/],
]

/** Words of other systems for types and statuses. */
const WORDS: Readonly<Record<string, readonly (readonly [word: string, texts: RegExp])[]>> = {
  transaction_type: [
    ['refund_reversal', /refund.*(revers|fail|return)/],
    ['chargeback_reversal', /(chargeback|dispute).*(revers|won|return)/],
    ['refund', /refund|reversal|credit/],
    ['chargeback', /chargeback|dispute/],
    ['payout', /payout|withdraw/],
    ['fee', /fee/],
    ['adjustment', /adjust|correct/],
    ['sale', /sale|charge|payment|purchase|capture|debit|order/],
  ],
  status: [
    ['declined', /declin|reject|refus/],
    ['filtered', /block|fraud|filter/],
    ['error', /error|fail/],
    ['processing', /pend|process|open|new|draft/],
    ['approved', /approv|succe|paid|captur|settl|complet|booked|refund|ok/],
  ],
}

/** Writes a source, with a guess for each column. A comment `DECIDE` stands where its author has to decide. */
export function guessSource({ title, head, columns, table }: Look): string {
  const taken = new Map<string, string>()
  for (const [column, names] of NAMES) {
    const isCard = column === 'bin' || column === 'last4'
    const found = [...columns].find(([name, values]) => {
      return names.test(plain(name)) && (!isCard || values.every((value) => CARD.test(value)))
    })?.[0]
    if (found !== undefined) taken.set(column, found)
  }
  const valuesOf = (column: string): readonly string[] => columns.get(taken.get(column) ?? '') ?? []
  const heads = [`# Made for ${title} by "init". docs/own-data.md explains it.`, ...head]
  if (table !== undefined) heads.push(...databaseHead(table, taken))
  const times = valuesOf('created_at')
  if (times.some((time) => /^\d{2}\.\d{2}\.\d{4}/.test(time))) heads.push('days: DD.MM.YYYY')
  if (times.some((time) => /^\d{2}\/\d{2}\/\d{4}/.test(time))) {
    heads.push('days: DD/MM/YYYY   # DECIDE: or MM/DD/YYYY')
  }
  if (times.some((time) => /^\d{2}-\d{2}-\d{4}/.test(time))) heads.push('days: DD-MM-YYYY')
  if (!times.every((time) => /(Z|[+-]\d{2}(:?\d{2})?)$/.test(time) || /^\d{10,13}$/.test(time))) {
    heads.push('timezone: UTC   # DECIDE: the zone of times without one')
  }
  const needed = [
    'transaction_id',
    'transaction_type',
    'status',
    'created_at',
    'amount',
    'currency',
    'merchant_id',
  ]
  const lines = NAMES.flatMap(([column]) => {
    const name = taken.get(column)
    if (name !== undefined) return [`  ${guess(column, identified(name), columns.get(name) ?? [])}`]
    return needed.includes(column) ? [`  ${missing(column)}`] : []
  })
  // A fee or a net amount is in the currency of the settlement.
  if (taken.has('net_amount') || taken.has('gateway_fee')) {
    lines.push(
      '  amount AS settlement_amount',
      '  currency AS settlement_currency -- DECIDE: the currency of fees and net amounts',
    )
  }
  const unused = [...columns.keys()].filter((name) => ![...taken.values()].includes(name))
  const notes =
    unused.length > 0 ? [`  -- Not used: ${unused.join(', ').replaceAll('\n', ' ')}`] : []
  return [
    ...heads.map((line) => `-- ${line}`),
    'SELECT',
    '  _line,',
    ...withCommas(lines),
    ...notes,
    'FROM file',
    '',
  ].join('\n')
}

/** The lines of a head that reads a table of a database. */
function databaseHead(
  { database, name }: NonNullable<Look['table']>,
  taken: ReadonlyMap<string, string>,
): readonly string[] {
  const key = taken.get('transaction_id') ?? '  # DECIDE: the column that identifies a row'
  const [changed, created] = [taken.get('updated_at'), taken.get('created_at')]
  return [
    'database:',
    `  name: ${database}`,
    `  query: SELECT * FROM ${name}`,
    `  key: ${key}`,
    changed === undefined
      ? '  # DECIDE: changed: the column with the time of the last change, if there is one'
      : `  changed: ${changed}   # DECIDE: every change sets it?`,
    created === undefined
      ? '  # DECIDE: created: the column with the time of creation, if there is one'
      : `  created: ${created}`,
  ]
}

/** The expression of a column, by the values of the first rows. */
function guess(column: string, name: string, values: readonly string[]): string {
  const filled = values.filter((value) => value !== '')
  const words = WORDS[column]
  if (words !== undefined) return guessWords(column, name, filled, words)
  if (column === 'created_at' || column === 'updated_at') {
    if (filled.length > 0 && filled.every((value) => /^\d{10}$/.test(value))) {
      return `toDateTime(toUInt32OrNull(${name}), 'UTC') AS ${column}`
    }
    if (filled.length > 0 && filled.every((value) => /^\d{13}$/.test(value))) {
      return `fromUnixTimestamp64Milli(toInt64OrNull(${name}), 'UTC') AS ${column}`
    }
  }
  if (column === 'amount' || column === 'net_amount' || column === 'gateway_fee') {
    const hasSign = column === 'amount' && filled.some((value) => value.includes('-'))
    const positive = hasSign ? `replaceOne(${name}, '-', '')` : name
    const sign = hasSign
      ? ' -- DECIDE: an amount has no sign; the type has to say the direction'
      : ''
    if (filled.length > 0 && filled.every((value) => /^-?\d+$/.test(value))) {
      const unit = `-- DECIDE: or ${name}, if it is in the major unit`
      return `minor(${positive}, currency) AS ${column} ${sign.trim() || unit}`
    }
    if (filled.some((value) => /,\d{1,2}-?$/.test(value))) {
      return `replaceOne(replaceAll(${positive}, '.', ''), ',', '.') AS ${column}${sign}`
    }
    return `${positive === column ? column : `${positive} AS ${column}`}${sign}`
  }
  if (column === 'currency' && filled.some((value) => /[a-z]/.test(value))) {
    return `upper(${name}) AS ${column}`
  }
  if (column === 'transaction_id' && new Set(filled).size < filled.length) {
    return `${name} AS ${column} -- DECIDE: some values are there twice`
  }
  if (column === 'bin') return `card_bin(${name}) AS ${column}`
  if (column === 'last4') return `card_last4(${name}) AS ${column}`
  return name === column ? name : `${name} AS ${column}`
}

function guessWords(
  column: string,
  name: string,
  values: readonly string[],
  words: readonly (readonly [word: string, texts: RegExp])[],
): string {
  const texts = [...new Set(values)].slice(0, WORDS_MAX)
  const pairs = texts.map((text) => {
    return [text, words.find(([, own]) => own.test(text.toLowerCase()))?.[0] ?? 'DECIDE'] as const
  })
  if (pairs.every(([text, word]) => text === word)) return `${name} AS ${column}`
  const [from, to] = [pairs.map(([text]) => text), pairs.map(([, word]) => word)]
  return `transform(${name}, ${literals(from)}, ${literals(to)}, ${name}) AS ${column} -- DECIDE: check each word`
}

function missing(column: string): string {
  const [value, question] = new Map([
    ['transaction_type', ['sale', 'every row is a sale?']],
    ['status', ['approved', 'every row is approved?']],
    ['currency', ['EUR', 'the currency of every row']],
    ['merchant_id', ['merchant-1', 'the merchant of every row']],
  ]).get(column) ?? ['', `the column for ${column}`]
  return `${literal(value ?? '')} AS ${column} -- DECIDE: ${question}`
}

/** Puts the commas between expressions before their comments. */
function withCommas(lines: readonly string[]): readonly string[] {
  return lines.map((line, at) => {
    if (at === lines.length - 1) return line
    const comment = line.indexOf(' -- DECIDE')
    return comment < 0 ? `${line},` : `${line.slice(0, comment)},${line.slice(comment)}`
  })
}

/** A name in lower case, with _ between its words. */
function plain(name: string): string {
  const words = name.replaceAll(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase()
  return words.replaceAll(/[^a-z\d]+/g, '_').replaceAll(/^_+|_+$/g, '')
}

function identified(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : identifier(name)
}
