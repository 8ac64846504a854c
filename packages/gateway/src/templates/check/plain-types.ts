import { isKnownZone } from '../../zone-clock.ts'

/**
 * Whether a text with a parenthesis is a type in its plainest spelling: words, digits, commas, spaces, parentheses, and
 * time zones that Node knows. The engine also reads quoted names, escapes, and texts in hexadecimal and binary digits.
 * All of these could hide the name of a file.
 */
export function isPlainType(text: string): boolean {
  const withoutZones = text.replaceAll(ZONE, (written, opening: string, zone: string) => {
    return isKnownZone(zone) ? `${opening})` : written
  })
  return /^[\w ,()]*$/.test(withoutZones)
}

const ZONE = /\b(DateTime(?:32|64)?\((?:\d, ?)?)'(\w[\w/+-]*)'\)/g
