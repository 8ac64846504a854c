/** The countries with IBANs, by the length of their IBANs (the IBAN registry of ISO 13616). */
const COUNTRIES: Readonly<Record<number, string>> = {
  15: 'NO',
  16: 'BE',
  18: 'DK FI FK FO GL NL SD',
  19: 'MK SI',
  20: 'AT BA EE KZ LT LU MN XK',
  21: 'CH HR LI LV',
  22: 'BG BH CR DE GB GE IE ME RS VA',
  23: 'AE GI IL IQ OM SO TL',
  24: 'AD CZ ES MD PK RO SA SE SK TN VG',
  25: 'LY PT ST',
  26: 'IS TR',
  27: 'BI DJ FR GR IT MC MR SM',
  28: 'AL AZ BY CY DO GT HN HU LB NI PL SV',
  29: 'BR EG PS QA UA',
  30: 'JO KW MU YE',
  31: 'MT SC',
  32: 'LC',
  33: 'RU',
}

/** An IBAN in one piece, or in groups of four, as IBANs are printed. */
const CANDIDATE = new RegExp(
  `(?<![\\p{L}\\d])(?:${Object.entries(COUNTRIES).map(shapeOf).join('|')})(?![\\p{L}\\d])`,
  'gu',
)

/** Replaces each IBAN with a valid checksum by an `x`. It takes linear time. */
export function withoutIbans(text: string): string {
  return text.replaceAll(CANDIDATE, (candidate) => {
    return hasValidChecksum(candidate.replaceAll(' ', '')) ? 'x' : candidate
  })
}

function shapeOf([length, countries]: readonly [string, string]): string {
  const country = `(?:${countries.replaceAll(' ', '|')})`
  const account = Number(length) - 4
  const groups = ` [A-Z\\d]{4}`.repeat(Math.floor(account / 4))
  const rest = account % 4 > 0 ? ` [A-Z\\d]{${account % 4}}` : ''
  return `${country}\\d{2}(?:[A-Z\\d]{${account}}|${groups}${rest})`
}

function hasValidChecksum(iban: string): boolean {
  const rearranged = Array.from(iban.slice(4) + iban.slice(0, 4))
  return BigInt(rearranged.map((character) => Number.parseInt(character, 36)).join('')) % 97n === 1n
}
