import { REPORT_REQUEST_DEFAULTS } from '@counterfoil/protocol'
import { DATE_FORMATS, type DateFormat, type ValueStyle } from '@counterfoil/engine'
import type { FileStyle, Format } from '@counterfoil/formats'
import type { Envelope } from './envelope.ts'
import type { ParameterValues } from './parameters.ts'
import { findSpreadsheet } from './spreadsheets.ts'

/** The formats of a report's values and of its file. */
export interface Presentation {
  readonly values: ValueStyle
  readonly style: FileStyle
  /** Whether the report holds totals instead of rows. */
  readonly totalsOnly: boolean
  /** Whether the record of the run has control totals. */
  readonly controlTotals: boolean
}

/**
 * Translates the values of the configuration parameters, and what the envelope says about the file.
 *
 * @param encoding the name of the file's encoding
 */
export function presentationOf(
  values: ParameterValues,
  { reportCsvDelimiter }: Pick<Envelope, 'reportCsvDelimiter'>,
  encoding: string,
  format: Pick<Format, 'isDocument'>,
): Presentation {
  return {
    values: {
      decimals: Number(values['decimals']),
      decimalSeparator: values['decimalSeparator'] === ',' ? ',' : '.',
      neutralise: values['neutralise'] === 'on',
      idsAsText: values['ids'] === 'text',
      dateFormat: dateFormatOf(values, format),
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

/** A person would take two formats of days in a document for a mistake, so `mixed` is ISO there. */
function dateFormatOf(
  values: ParameterValues,
  { isDocument }: Pick<Format, 'isDocument'>,
): DateFormat {
  const named = DATE_FORMATS.find((name) => name === values['dateFormat']) ?? 'mixed'
  return named === 'mixed' && isDocument ? 'ISO' : named
}
