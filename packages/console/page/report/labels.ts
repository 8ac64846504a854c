import type { CatalogueParameter } from '@counterfoil/protocol'

// Maps, because a parameter may have the name of a member that every object inherits, such as `constructor`.

/** Names of parameters, where the words of their identifiers are none that people use. */
const NAMES = new Map([
  ['dateAxis', 'The period goes by'],
  ['timezone', 'Time zone'],
  ['spreadsheet', 'To open in a spreadsheet'],
  ['header', 'Line of titles'],
  ['bom', 'Byte order mark'],
  ['unencodable', 'Characters that the encoding lacks'],
  ['neutralise', 'Texts that begin like a formula'],
  ['ids', 'Ids in a spreadsheet'],
  ['totals', 'Rows or totals'],
  ['controlTotals', 'Sums in the record of the run'],
])

const HINTS = new Map([
  [
    'dateAxis',
    'Statements settle by business day. To compare with them, choose the bank’s business day.',
  ],
  ['spreadsheet', 'The file then has the delimiter, decimals, dates and ids that it expects.'],
])

const VALUES = new Map([
  ['dateAxis created', 'the day of creation'],
  ['dateAxis processed', 'the day of processing'],
  ['dateAxis bank', 'the bank’s business day'],
  ['dateAxis settled', 'the day of settlement'],
  ['dateAxis business', 'the statement’s business day'],
  ['dateAxis due', 'the day an answer is due'],
  ['unencodable replace', 'become question marks'],
  ['unencodable refuse', 'refuse the report'],
  ['neutralise on', 'get an apostrophe'],
  ['neutralise off', 'stay as they are'],
  ['totals off', 'rows'],
  ['totals only', 'totals only'],
])

const LANGUAGES = new Intl.DisplayNames('en', { type: 'language' })

/** Returns what people read instead of the name of a parameter or filter: `dateFormat` is "Date format". */
export function labelOf(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return NAMES.get(name) ?? words.charAt(0).toUpperCase() + words.slice(1)
}

export function hintOf({ name, title }: CatalogueParameter): string {
  return HINTS.get(name) ?? title
}

/** Returns what people read instead of a value of a parameter: `de-DE` is "German (Germany)". */
export function valueLabelOf(name: string, value: string): string {
  if (name === 'spreadsheet') return LANGUAGES.of(value) ?? value
  return VALUES.get(`${name} ${value}`) ?? value
}
