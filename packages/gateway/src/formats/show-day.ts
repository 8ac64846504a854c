import type { DateFormat } from '../column-kinds.ts'

/** Writes the days of a text in the format of a document: `2026-10-31`, or a time that begins with a day. */
export function showDay(isoText: string, format: DateFormat): string {
  const order = ORDERS[format]
  return order === undefined ? isoText : isoText.replace(/^(\d{4})-(\d\d)-(\d\d)/, order)
}

const ORDERS: Partial<Record<DateFormat, string>> = {
  'DD.MM.YYYY': '$3.$2.$1',
  'MM/DD/YYYY': '$2/$3/$1',
}
