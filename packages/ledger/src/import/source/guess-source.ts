import { basename } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { GatewayError } from '@counterfoil/common'
import { literals } from '@counterfoil/engine'
import type { SourceDatabase } from '@counterfoil/databases'
import { readStart } from './read-bytes.ts'
import { readCsvHeader, readJsonMembers, readRecord, type WrittenCsv } from './read-columns.ts'
import { identifier } from './stage-file.ts'

/** What the first rows of a file or table show. */
export interface Look {
  /** What a person calls the data. */
  readonly title: string
  readonly head: readonly string[]
  readonly columns: ReadonlyMap<string, readonly string[]>
  /** The table of a database, and what the configuration calls the database. */
  readonly table?: { readonly database: string; readonly name: string }
}

const ROWS = 1000
const HEADER_LINES = 20
const WORDS_MAX = 12
/** A card number that may be masked, or a part of one. */
const CARD = /^[\dx*•. -]*$/i

/** An expression of a SELECT, and a question to its author. */
type Guess = readonly [sql: string, question?: string | undefined]

/** The columns of the ledger, and their names in other systems. The first column of the data that matches is taken. */
const NAMES = new Map(
  `
transaction_id: transactionid txid txnid paymentid payoutid balancetransactionid id pspreference reference transactionreference
order_id: order orderid ordernumber orderno source sourceid attemptof
client_order_id: clientorder clientorderid merchantreference merchantoid merchantorder merchantorderid invoice invoiceid invoicenumber invoiceno
original_transaction_id: originalid originalreference originaltransactionid originalpaymentid originaltxid originaltxnid originalpspreference parentid parenttransactionid parentpaymentid relatedid relatedtransactionid relatedpaymentid
transaction_type: transactiontype eventtype recordtype type kind
status: transactionstatus paymentstatus status state result
created_at: created createdat createdon createddate createdutc creationdate booked bookedat bookingdate date time timestamp datetime transactiondate transactiontime paidat
updated_at: updated updatedat updatedon modified modifiedat changed changedat
amount: amount transactionamount gross grossamount total value amountminor amountcents cents
currency: currency currencycode transactioncurrency ccy curr
net_amount: net netamount
gateway_fee: fee fees feeamount feesamount commission
merchant_id: merchant merchantid merchantaccount merchantcode account accountid mid shop shopid store storeid seller sellerid
payment_method: paymentmethod method
card_brand: cardbrand cardscheme cardnetwork brand scheme network
bin: bin cardbin iin pan maskedpan card cardnumber cardno cardmask maskedcard maskedcardnumber
last4: last4 lastfour last4digits cardlast4 pan maskedpan card cardnumber cardno cardmask maskedcard maskedcardnumber
email: email customeremail shopperemail
order_description: description narrative memo text subject`
    .trim()
    .split('\n')
    .map((line): [string, readonly string[]] => {
      const [column = '', names = ''] = line.split(': ')
      return [column, names.split(' ')]
    }),
)

const INSTEAD: Readonly<Record<string, Guess>> = {
  transaction_id: ["''", 'the column for transaction_id'],
  transaction_type: ["'sale'", 'every row is a sale?'],
  status: ["'approved'", 'every row is approved?'],
  created_at: ["''", 'the column for created_at'],
  amount: ["''", 'the column for amount'],
  currency: ["'EUR'", 'the currency of every row'],
  merchant_id: ["'merchant-1'", 'the merchant of every row'],
}

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

/** Formats of days other than YYYY-MM-DD, as a member of the head. */
const DAYS: readonly (readonly [pattern: RegExp, member: string])[] = [
  [/^\d{2}\.\d{2}\.\d{4}/, 'days: DD.MM.YYYY'],
  [/^\d{2}\/\d{2}\/\d{4}/, 'days: DD/MM/YYYY   # DECIDE: or MM/DD/YYYY'],
  [/^\d{2}-\d{2}-\d{4}/, 'days: DD-MM-YYYY'],
]

/**
 * Looks at the first rows of a file.
 *
 * @throws {GatewayError} `ledger` if the file has no columns that can be read
 */
export async function lookAtFile(path: string): Promise<Look> {
  const title = basename(path)
  const { text, head } = decode(await readStart(path, 'utf-8'))
  if (/^\s*[[{]/.test(text)) {
    if (!/\.(json|jsonl|ndjson)/i.test(path)) head.push('format: json')
    const members = readJsonMembers(text).map(({ name }) => name)
    return { title, head, columns: jsonValues(text, members) }
  }
  const lines = text.split('\n', HEADER_LINES)
  const [delimiter, most] = [',', ';', '\t', '|']
    .map((one) => [one, Math.max(...lines.map((line) => fieldsIn(line, one)))] as const)
    .reduce((best, one) => (one[1] > best[1] ? one : best))
  // Lines before the header have fewer fields.
  const skipLines = lines.findIndex((line) => fieldsIn(line, delimiter) === most)
  const written = { delimiter, quotes: true }
  const header = readCsvHeader(text, written, skipLines)
  if (header === undefined) {
    const expected =
      'expected CSV with a header row, or JSON. For other files, write a source by hand'
    throw new GatewayError('ledger', `${path}: ${expected}`)
  }
  if (delimiter !== ',') head.push(`delimiter: ${JSON.stringify(delimiter)}`)
  if (skipLines > 0) head.push(`skipLines: ${skipLines}   # DECIDE: is the next line the header?`)
  const names = header.columns.map(({ name }) => name)
  return { title, head, columns: csvValues(names, text.slice(header.length), written) }
}

/** Counts the fields of a line. Delimiters in quotes do not count. */
function fieldsIn(line: string, delimiter: string): number {
  return line.replaceAll(/"[^"]*"/g, '').split(delimiter).length
}

/**
 * Looks at the first rows of a table.
 *
 * @param name what the configuration calls the database
 * @param table its name in the SQL of the database
 * @throws {GatewayError} `ledger` if the database cannot be read
 */
export async function lookAtTable(
  database: SourceDatabase,
  name: string,
  table: string,
): Promise<Look> {
  const names = await database.columnsOf(`SELECT * FROM ${table}`)
  const rows = await buffer(database.read(`SELECT * FROM ${table} LIMIT ${ROWS}`))
  const columns = csvValues(names, rows.toString(), { delimiter: ',', quotes: true })
  return { title: `${table} of ${name}`, head: [], columns, table: { database: name, name: table } }
}

/** Decodes the start of a file. What is not UTF-8 is windows-1252. */
function decode(start: Buffer): { readonly text: string; readonly head: string[] } {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true })
    return { text: decoder.decode(start, { stream: true }), head: [] }
  } catch {
    const encoding = 'windows-1252'
    return { text: new TextDecoder(encoding).decode(start), head: [`encoding: ${encoding}`] }
  }
}

function csvValues(names: readonly string[], text: string, written: WrittenCsv): Look['columns'] {
  const rows: (readonly string[])[] = []
  for (let at = 0; at < text.length && rows.length < ROWS; ) {
    const record = readRecord(text, at, written)
    if (record === undefined) break
    rows.push(record.fields)
    at = record.end
  }
  return new Map(names.map((name, place) => [name, rows.map((fields) => fields[place] ?? '')]))
}

/** The values of members in lines of JSON. Other JSON has names only. */
function jsonValues(text: string, members: readonly string[]): Look['columns'] {
  const objects = text.split('\n', ROWS).flatMap((line): Record<string, unknown>[] => {
    try {
      const value: unknown = JSON.parse(line)
      return typeof value === 'object' && value !== null ? [{ ...value }] : []
    } catch {
      return []
    }
  })
  const textOf = (value: unknown = ''): string => {
    return typeof value === 'string' ? value : JSON.stringify(value)
  }
  return new Map(members.map((name) => [name, objects.map((object) => textOf(object[name]))]))
}

/** Writes a source, with a guess for each column. A comment `DECIDE` stands where its author has to decide. */
export function guessSource({ title, head, columns, table }: Look): string {
  const taken = new Map<string, string>()
  for (const [column, names] of NAMES) {
    const isCard = column === 'bin' || column === 'last4'
    const found = [...columns].find(([name, values]) => {
      return names.includes(plain(name)) && (!isCard || values.every((value) => CARD.test(value)))
    })
    if (found !== undefined) taken.set(column, found[0])
  }
  const heads = [`# Made for ${title} by "init". docs/own-data.md explains it.`, ...head]
  if (table !== undefined) heads.push(...databaseHead(table, taken))
  const times = columns.get(taken.get('created_at') ?? '') ?? []
  const isWritten = ([pattern]: (typeof DAYS)[number]) => times.some((time) => pattern.test(time))
  heads.push(...DAYS.filter(isWritten).map(([, member]) => member))
  if (!times.every((time) => /(Z|[+-]\d{2}(:?\d{2})?)$/.test(time) || /^\d{10,13}$/.test(time))) {
    heads.push('timezone: UTC   # DECIDE: the zone of times without one')
  }
  const selected = [...NAMES.keys()].flatMap((column): Guess[] => {
    const instead = INSTEAD[column]
    const name = taken.get(column)
    if (name !== undefined) return [guess(column, name, columns.get(name) ?? [])]
    return instead ? [[`${instead[0]} AS ${column}`, instead[1]]] : []
  })
  // A fee or a net amount is in the currency of the settlement.
  if (taken.has('net_amount') || taken.has('gateway_fee')) {
    const question = 'the currency of fees and net amounts'
    selected.push(['amount AS settlement_amount'], ['currency AS settlement_currency', question])
  }
  const used = [...taken.values()]
  const unused = [...columns.keys()].filter((name) => !used.includes(name))
  const expressions = selected.map(([sql, question]) => {
    return question === undefined ? `  ${sql}` : `  -- DECIDE: ${question}\n  ${sql}`
  })
  return [
    ...heads.map((line) => `-- ${line}`),
    'SELECT',
    ['  _line', ...expressions].join(',\n'),
    ...(unused.length > 0 ? [`  -- Not used: ${unused.join(', ').replaceAll('\n', ' ')}`] : []),
    'FROM file',
    '',
  ].join('\n')
}

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

function guess(column: string, of: string, values: readonly string[]): Guess {
  const name = /^[A-Za-z_][A-Za-z0-9_]*$/.test(of) ? of : identifier(of)
  const filled = values.filter((value) => value !== '')
  const areAll = (pattern: RegExp) => filled.length > 0 && filled.every((one) => pattern.test(one))
  const as = (sql: string): string => (sql === column ? sql : `${sql} AS ${column}`)
  if (column in WORDS) return guessWords(column, name, filled)
  if (column.endsWith('_at') && areAll(/^\d{10}$/)) {
    return [as(`toDateTime(toUInt32OrNull(${name}), 'UTC')`)]
  }
  if (column.endsWith('_at') && areAll(/^\d{13}$/)) {
    return [as(`fromUnixTimestamp64Milli(toInt64OrNull(${name}), 'UTC')`)]
  }
  if (column === 'amount' || column === 'net_amount' || column === 'gateway_fee') {
    const hasSign = column === 'amount' && filled.some((value) => value.includes('-'))
    const positive = hasSign ? `replaceOne(${name}, '-', '')` : name
    const sign = hasSign ? 'an amount has no sign; the type has to say the direction' : undefined
    if (areAll(/^-?\d+$/)) {
      return [as(`minor(${positive}, currency)`), sign ?? `or ${name}, if it is in the major unit`]
    }
    const hasComma = filled.some((value) => /,\d{1,2}-?$/.test(value))
    const points = `replaceOne(replaceAll(${positive}, '.', ''), ',', '.')`
    return [as(hasComma ? points : positive), sign]
  }
  if (column === 'currency' && filled.some((value) => /[a-z]/.test(value))) {
    return [as(`upper(${name})`)]
  }
  if (column === 'transaction_id' && new Set(filled).size < filled.length) {
    return [as(name), 'some values are there twice']
  }
  return [as(column === 'bin' || column === 'last4' ? `card_${column}(${name})` : name)]
}

function guessWords(column: string, name: string, values: readonly string[]): Guess {
  const from = [...new Set(values)].slice(0, WORDS_MAX)
  const to = from.map((text) => {
    return WORDS[column]?.find(([, texts]) => texts.test(text.toLowerCase()))?.[0] ?? 'DECIDE'
  })
  if (from.every((text, at) => text === to[at])) return [`${name} AS ${column}`]
  const words = `transform(${name}, ${literals(from)}, ${literals(to)}, ${name})`
  return [`${words} AS ${column}`, 'check each word']
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z\d]/g, '')
}
