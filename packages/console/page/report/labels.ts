import type { CatalogueParameter } from '@counterfoil/protocol'
import { texts } from '../texts.ts'

const LANGUAGES = new Intl.DisplayNames('en', { type: 'language' })

/** Returns what people read instead of the name of a parameter or filter: `dateFormat` is "Date format". */
export function labelOf(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return own(texts.report.names, name) ?? words.charAt(0).toUpperCase() + words.slice(1)
}

/** Returns what a person reads below a parameter. */
export function hintOf({ name, title }: CatalogueParameter): string {
  return own(texts.report.hints, name) ?? title
}

/** Returns what people read instead of a value of a parameter: `de-DE` is "German (Germany)". */
export function valueLabelOf(name: string, value: string): string {
  if (name === 'spreadsheet') return LANGUAGES.of(value) ?? value
  return own(own(texts.report.values, name) ?? {}, value) ?? value
}

/** A parameter may have the name of a member that every object inherits, such as `constructor`. */
function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
