import { createRequire } from 'node:module'

/** The weights of fonts. */
export type FontWeight = 'regular' | 'bold'

/** A family of fonts, which an npm package carries. */
export interface FontFamily {
  readonly name: string
  readonly package: string
  /** Characters that this family shows best. */
  readonly prefers: RegExp
}

/** The families, in the order in which they are tried. A text that is only Latin, Greek or Cyrillic needs the first. */
export const FONT_FAMILIES: readonly [FontFamily, ...FontFamily[]] = [
  family('NotoSans', 'noto-sans', /\p{Script=Latin}/u),
  family('NotoSansArabic', 'noto-sans-arabic', /\p{Script=Arabic}/u),
  family('NotoSansHebrew', 'noto-sans-hebrew', /\p{Script=Hebrew}/u),
  family('NotoSansThai', 'noto-sans-thai', /\p{Script=Thai}/u),
  family('NotoSansDevanagari', 'noto-sans-devanagari', /\p{Script=Devanagari}/u),
  // An operator installs these beside the gateway: they are too large for everyone.
  family('NotoSansJP', 'noto-sans-jp', /[\p{Script=Hiragana}\p{Script=Katakana}]/u),
  family('NotoSansKR', 'noto-sans-kr', /\p{Script=Hangul}/u),
  family('NotoSansSC', 'noto-sans-sc', /\p{Script=Han}/u),
  family('NotoSansTC', 'noto-sans-tc', /\p{Script=Bopomofo}/u),
]

const WEIGHT_NAMES: Readonly<Record<FontWeight, string>> = {
  regular: '400Regular',
  bold: '700Bold',
}

const require = createRequire(import.meta.url)

/** Returns the file of a font, or `undefined` if its package is not installed. */
export function findFontFile(
  { name, package: carrier }: FontFamily,
  weight: FontWeight,
): string | undefined {
  const folder = WEIGHT_NAMES[weight]
  try {
    return require.resolve(`${carrier}/${folder}/${name}_${folder}.ttf`)
  } catch {
    return undefined
  }
}

function family(name: string, folder: string, prefers: RegExp): FontFamily {
  return { name, package: `@expo-google-fonts/${folder}`, prefers }
}
