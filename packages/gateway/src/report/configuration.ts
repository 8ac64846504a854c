import { REPORT_REQUEST_DEFAULTS } from '@counterfoil/protocol'
import { DATE_FORMATS, type ValueStyle } from '@counterfoil/engine'
import { type FileStyle, type Format, PAPERS } from '@counterfoil/formats'
import { type TemplateParameter, TIMEZONE } from '@counterfoil/templates'
import type { Envelope } from './envelope.ts'

/** What a spreadsheet with the settings of one locale reads right. */
interface Spreadsheet {
  readonly locale: string
  readonly delimiter: ';' | ','
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

export function findSpreadsheet(locale: unknown): Spreadsheet | undefined {
  return SPREADSHEETS.find((spreadsheet) => spreadsheet.locale === locale)
}

const CHOICES: readonly (readonly [name: string, title: string, allowed: readonly string[]])[] = [
  ['header', 'Whether the first line holds the titles of the columns', ['on', 'off']],
  ['quote', 'Which fields are in quotes', ['all', 'minimal']],
  ['lineEnd', 'The line end', ['CRLF', 'LF']],
  [
    'bom',
    'Whether a file in UTF-8 or UTF-16 begins with a byte order mark, which some spreadsheets need',
    ['off', 'on'],
  ],
  [
    'unencodable',
    'Whether a character that the encoding lacks becomes a question mark, or the report is refused',
    ['replace', 'refuse'],
  ],
  [
    'decimals',
    'Minimum fraction digits of an amount; an amount with more keeps them',
    ['3', '2', '1', '0'],
  ],
  ['decimalSeparator', 'The decimal separator', ['.', ',']],
  [
    'dateFormat',
    'The format of days; mixed: times as ISO, dates as DD.MM.YYYY, and all of them as ISO in PDF and XLSX',
    DATE_FORMATS,
  ],
  ['ids', 'Whether a spreadsheet gets ids as texts, written as ="0012"', ['plain', 'text']],
  [
    'neutralise',
    'Whether a text that begins like a formula gets a leading apostrophe',
    ['off', 'on'],
  ],
  ['paper', 'The size of pages; wide tables are in landscape', PAPERS],
  ['totals', 'Whether the report holds totals instead of rows', ['off', 'only']],
  ['controlTotals', 'Whether the record of the run has the sums of the amounts', ['off', 'on']],
]

const SELECT = { type: 'INPUT_SELECT', required: false, list: false } as const

/** The parameters in `configurationReportParameters`. The first value of a choice is the default. */
export const CONFIGURATION_PARAMETERS: readonly TemplateParameter[] = [
  TIMEZONE,
  {
    ...SELECT,
    name: 'spreadsheet',
    title:
      'The locale of a spreadsheet, which sets delimiter, decimalSeparator, dateFormat, ids and bom unless the request names them',
    allowed: SPREADSHEETS.map(({ locale }) => locale),
  },
  ...CHOICES.map(([name, title, allowed]) => {
    return { ...SELECT, name, title, default: allowed[0], allowed }
  }),
]

/** Returns the configuration parameters that a request for a format may name. */
export function configurationParametersOf(
  format: Pick<Format, 'parameters'>,
): readonly TemplateParameter[] {
  const names = [TIMEZONE.name, 'totals', 'controlTotals', ...format.parameters]
  return CONFIGURATION_PARAMETERS.filter(({ name }) => names.includes(name))
}

export interface Presentation {
  readonly values: ValueStyle
  readonly style: FileStyle
  readonly totalsOnly: boolean
  readonly controlTotals: boolean
}

/** Translates the values of the configuration parameters, and what the envelope says about the file. */
export function presentationOf(
  values: Readonly<Record<string, unknown>>,
  { reportCsvDelimiter }: Pick<Envelope, 'reportCsvDelimiter'>,
  { format, encoding }: { readonly format: Format; readonly encoding: string },
): Presentation {
  const dateFormat = DATE_FORMATS.find((name) => name === values['dateFormat']) ?? 'mixed'
  return {
    values: {
      decimals: Number(values['decimals']),
      decimalSeparator: values['decimalSeparator'] === ',' ? ',' : '.',
      neutralise: values['neutralise'] === 'on',
      idsAsText: values['ids'] === 'text',
      // A person would take two formats of days in a document for a mistake.
      dateFormat: dateFormat === 'mixed' && format.isDocument ? 'ISO' : dateFormat,
    },
    style: {
      encoding,
      delimiter:
        reportCsvDelimiter ??
        findSpreadsheet(values['spreadsheet'])?.delimiter ??
        REPORT_REQUEST_DEFAULTS.reportCsvDelimiter,
      header: values['header'] === 'on',
      quoteAll: values['quote'] === 'all',
      lineEnd: values['lineEnd'] === 'LF' ? '\n' : '\r\n',
      byteOrderMark: values['bom'] === 'on',
      refuseUnencodable: values['unencodable'] === 'refuse',
      paper: values['paper'] === 'Letter' ? 'Letter' : 'A4',
    },
    totalsOnly: values['totals'] === 'only',
    controlTotals: values['controlTotals'] === 'on',
  }
}
