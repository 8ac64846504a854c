/** What a spreadsheet with the settings of one locale reads right. */
export interface Spreadsheet {
  readonly locale: string
  readonly delimiter: ';' | ','
  /** The values of configuration parameters. */
  readonly configuration: Readonly<Record<string, string>>
}

type Settings = readonly [decimalSeparator: string, delimiter: ';' | ',', dateFormat: string]

/** Locales with the same settings. A spreadsheet reads ISO dates in every locale, and days with dots in some. */
const LOCALES: readonly (readonly [settings: Settings, locales: string])[] = [
  [
    [',', ';', 'DD.MM.YYYY'],
    'de-DE de-AT de-LU bg-BG be-BY cs-CZ et-EE fi-FI hr-HR is-IS kk-KZ lv-LV mk-MK nb-NO nn-NO pl-PL ro-RO ' +
      'ru-RU sk-SK sl-SI sv-FI tr-TR uk-UA',
  ],
  [
    [',', ';', 'ISO'],
    'da-DK fr-FR fr-BE fr-CA fr-LU es-ES es-AR es-CL es-CO it-IT nl-NL nl-BE pt-BR pt-PT sv-SE ca-ES el-GR eu-ES gl-ES ' +
      'hu-HU id-ID lt-LT vi-VN',
  ],
  [['.', ';', 'DD.MM.YYYY'], 'de-CH de-LI it-CH'],
  [
    ['.', ',', 'ISO'],
    'en-US en-GB en-AU en-CA en-HK en-IE en-IN en-NZ en-PH en-SG es-MX es-PE he-IL hi-IN ja-JP ko-KR ms-MY th-TH ' +
      'zh-CN zh-HK zh-SG zh-TW',
  ],
]

/** Every locale that the configuration parameter `spreadsheet` takes. */
export const SPREADSHEETS: readonly Spreadsheet[] = LOCALES.flatMap(
  ([[decimalSeparator, delimiter, dateFormat], locales]) => {
    const configuration = { decimalSeparator, dateFormat, ids: 'text', bom: 'on' }
    return locales.split(' ').map((locale) => ({ locale, delimiter, configuration }))
  },
).toSorted((one, other) => (one.locale < other.locale ? -1 : 1))

/** Finds the settings of a locale. */
export function findSpreadsheet(locale: unknown): Spreadsheet | undefined {
  return SPREADSHEETS.find((spreadsheet) => spreadsheet.locale === locale)
}
