import { DATE_FORMATS } from '@counterfoil/engine'
import { type Format, PAPERS } from '@counterfoil/formats'
import { type TemplateParameter, TIMEZONE } from '@counterfoil/templates'
import { SPREADSHEETS } from './spreadsheets.ts'

const choice = (
  name: string,
  title: string,
  allowed: readonly [usual: string, ...others: string[]],
): TemplateParameter => {
  const [usual] = allowed
  return {
    name,
    title,
    type: 'INPUT_SELECT',
    required: false,
    default: usual,
    allowed,
    list: false,
  }
}

/** The parameters in `configurationReportParameters`. The first value of a choice is the default. */
export const CONFIGURATION_PARAMETERS: readonly TemplateParameter[] = [
  TIMEZONE,
  {
    name: 'spreadsheet',
    title:
      'The locale of a spreadsheet, which sets delimiter, decimalSeparator, dateFormat, ids and bom unless the request names them',
    type: 'INPUT_SELECT',
    required: false,
    allowed: SPREADSHEETS.map(({ locale }) => locale),
    list: false,
  },
  choice('header', 'Whether the first line holds the titles of the columns', ['on', 'off']),
  choice('quote', 'Which fields are in quotes', ['all', 'minimal']),
  choice('lineEnd', 'The line end', ['CRLF', 'LF']),
  choice(
    'bom',
    'Whether a file in UTF-8 or UTF-16 begins with a byte order mark, which some spreadsheets need',
    ['off', 'on'],
  ),
  choice(
    'unencodable',
    'Whether a character that the encoding lacks becomes a question mark, or the report is refused',
    ['replace', 'refuse'],
  ),
  choice('decimals', 'Minimum fraction digits of an amount; an amount with more keeps them', [
    '3',
    '2',
    '1',
    '0',
  ]),
  choice('decimalSeparator', 'The decimal separator', ['.', ',']),
  choice(
    'dateFormat',
    'The format of days; mixed: times as ISO, dates as DD.MM.YYYY, and all of them as ISO in PDF and XLSX',
    DATE_FORMATS,
  ),
  choice('ids', 'Whether a spreadsheet gets ids as texts, written as ="0012"', ['plain', 'text']),
  choice('neutralise', 'Whether a text that begins like a formula gets a leading apostrophe', [
    'off',
    'on',
  ]),
  choice('paper', 'The size of pages; wide tables are in landscape', PAPERS),
  choice('totals', 'Whether the report holds totals instead of rows', ['off', 'only']),
  choice('controlTotals', 'Whether the record of the run has the sums of the amounts', [
    'off',
    'on',
  ]),
]

/** Returns the configuration parameters that a request for a format may name. */
export function configurationParametersOf(
  format: Pick<Format, 'parameters'>,
): readonly TemplateParameter[] {
  const names = [TIMEZONE.name, 'totals', 'controlTotals', ...format.parameters]
  return CONFIGURATION_PARAMETERS.filter(({ name }) => names.includes(name))
}
