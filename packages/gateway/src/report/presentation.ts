import { DATE_FORMATS, type ValueStyle } from '../column-kinds.ts'
import type { FileStyle } from '../formats/format.ts'
import type { Envelope } from './envelope.ts'
import type { ParameterValues } from './parameters.ts'

/** The formats of a report's values and of its file. */
export interface Presentation {
  readonly values: ValueStyle
  readonly style: FileStyle
  /** Whether the report holds totals instead of rows. */
  readonly totalsOnly: boolean
}

/** Translates the values of the configuration parameters, and what the envelope says about the file. */
export function presentationOf(
  values: ParameterValues,
  { reportCsvDelimiter, reportEncode }: Pick<Envelope, 'reportCsvDelimiter' | 'reportEncode'>,
): Presentation {
  return {
    values: {
      decimals: Number(values['decimals']),
      decimalSeparator: values['decimalSeparator'] === ',' ? ',' : '.',
      neutralise: values['neutralise'] === 'on',
      idsAsText: values['ids'] === 'text',
      dateFormat: DATE_FORMATS.find((format) => format === values['dateFormat']) ?? 'mixed',
    },
    style: {
      encoding: reportEncode.toUpperCase(),
      delimiter: reportCsvDelimiter,
      header: values['header'] === 'on',
      quoteAll: values['quote'] === 'all',
      lineEnd: values['lineEnd'] === 'LF' ? '\n' : '\r\n',
      byteOrderMark: values['bom'] === 'on',
    },
    totalsOnly: values['totals'] === 'only',
  }
}
