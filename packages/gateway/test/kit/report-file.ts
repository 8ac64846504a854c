import { PLAIN_STYLE } from '../../../engine/src/dialect/column-kinds.ts'
import type {
  FileColumn,
  FileStyle,
  ReportAbout,
  ReportFile,
} from '../../../formats/src/format/format.ts'

/** The style of a request without configuration parameters. */
export const USUAL_STYLE: FileStyle = {
  encoding: 'UTF-8',
  delimiter: ',',
  header: true,
  quoteAll: true,
  lineEnd: '\r\n',
  byteOrderMark: false,
  refuseUnencodable: false,
  paper: 'A4',
}

/** Makes a report for a format, with changes to what it says about itself and to the rest. */
export function reportFile(
  columns: readonly FileColumn[],
  about: Partial<ReportAbout> = {},
  change: Partial<ReportFile> = {},
): ReportFile {
  return {
    columns,
    values: PLAIN_STYLE,
    style: USUAL_STYLE,
    sums: undefined,
    about: {
      title: 'Any',
      note: undefined,
      name: 'any',
      identifier: 'any',
      login: 'any',
      timezone: 'UTC',
      parameters: {},
      filters: {},
      schemaHash: '0123456789abcdef',
      madeAt: 0,
      runId: 'run',
      ...about,
    },
    ...change,
  }
}
