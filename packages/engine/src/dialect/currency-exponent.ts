import { literal } from './literals.ts'

/** The fraction digits of an amount whose currency is unknown. */
export const USUAL_EXPONENT = 2

/**
 * Returns the SQL of how many fraction digits a currency has.
 *
 * @param currencySql the SQL of the currency, if it is known
 */
export function exponentOf(
  currencySql: string | undefined,
  exponents: ReadonlyMap<string, number>,
): string {
  const unusual = [...exponents].filter(([, exponent]) => exponent !== USUAL_EXPONENT)
  if (currencySql === undefined || unusual.length === 0) return String(USUAL_EXPONENT)
  const codes = unusual.map(([code]) => literal(code)).join(', ')
  const digits = unusual.map(([, exponent]) => exponent).join(', ')
  const code = `ifNull(toString((${currencySql}\n)), '')`
  return `transform(${code}, [${codes}], [${digits}], ${USUAL_EXPONENT})`
}
