import { TIMEZONE } from '../templates/period.ts'
import type { TemplateParameter } from '../templates/template.ts'
import { DATE_FORMATS } from '../column-kinds.ts'

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

/** What `configurationReportParameters` can say, of every report; a choice's first value is the default. */
export const CONFIGURATION_PARAMETERS: readonly TemplateParameter[] = [
  TIMEZONE,
  choice('header', 'Whether the first line holds the titles of the columns', ['on', 'off']),
  choice('quote', 'Which fields are in quotes', ['all', 'minimal']),
  choice('lineEnd', 'What ends a line', ['CRLF', 'LF']),
  choice('bom', 'Whether a byte order mark comes first, for spreadsheets that want one', [
    'off',
    'on',
  ]),
  choice('decimals', 'The fewest fraction digits of an amount; one that has more keeps them', [
    '3',
    '2',
    '1',
    '0',
  ]),
  choice('decimalSeparator', 'What stands before the fraction', ['.', ',']),
  choice(
    'dateFormat',
    'How days are written; mixed: times as ISO, dates as DD.MM.YYYY',
    DATE_FORMATS,
  ),
  choice('ids', 'Whether a spreadsheet gets ids as texts, written as ="0012"', ['plain', 'text']),
  choice('neutralise', 'Whether a text that begins like a formula gets an apostrophe before it', [
    'off',
    'on',
  ]),
  choice('totals', 'Whether the totals come instead of the rows', ['off', 'only']),
]
