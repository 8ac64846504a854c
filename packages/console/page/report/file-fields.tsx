import type { CatalogueReport } from '@counterfoil/protocol'
import { RadioChoice } from '../shell/radio-choice.tsx'
import { texts } from '../texts.ts'
import { faultAt } from './check-draft.ts'
import { change, draft } from './draft.ts'
import { Field } from './field.tsx'
import { ParameterField } from './parameter-field.tsx'

/** The setting that makes a CSV open well in a spreadsheet. It stands beside the format. */
const SPREADSHEET = 'spreadsheet'

/** Formats that people open come first. */
const FOR_PEOPLE: readonly string[] = ['XLSX', 'PDF', 'CSV']

/** How the file is written: its format first, then what that format can vary. */
export function FileFields({ report }: { readonly report: CatalogueReport }) {
  const { reportFormat = 'CSV' } = draft.value
  const parameters = report.configurationReportParameters.filter(({ name, formats }) => {
    return name !== 'timezone' && name !== SPREADSHEET && formats?.includes(reportFormat)
  })
  return (
    <details>
      <summary>{texts.report.file}</summary>
      <div class="fields">
        <TextField name="reportName" label={texts.report.fileName} />
        {reportFormat === 'CSV' && (
          <>
            <TextField name="reportCsvDelimiter" label={texts.report.delimiter} />
            <EncodingField encodings={report.encodings} />
          </>
        )}
        {parameters.map((parameter) => (
          <ParameterField
            key={parameter.name}
            list="configurationReportParameters"
            parameter={parameter}
          />
        ))}
      </div>
    </details>
  )
}

/** The format of the file that a download saves. */
export function FormatField({ report }: { readonly report: CatalogueReport }) {
  const { reportFormat = 'CSV' } = draft.value
  const others = report.formats.filter((format) => !FOR_PEOPLE.includes(format))
  const spreadsheet = report.configurationReportParameters.find(({ name }) => name === SPREADSHEET)
  return (
    <>
      <RadioChoice
        legend={texts.report.format}
        options={[...FOR_PEOPLE.filter((format) => report.formats.includes(format)), ...others]}
        chosen={reportFormat}
        onChoose={(format) => chooseFormat(report, format)}
      />
      {reportFormat === 'CSV' && spreadsheet && (
        <ParameterField list="configurationReportParameters" parameter={spreadsheet} />
      )}
    </>
  )
}

/** Changes the format, and removes the parameters that the new one does not have. */
function chooseFormat(report: CatalogueReport, reportFormat: string): void {
  const {
    configurationReportParameters: before = [],
    reportCsvDelimiter,
    reportEncode,
  } = draft.value
  const kept = before.filter(({ name }) => {
    const declared = report.configurationReportParameters.find((other) => other.name === name)
    return declared?.formats?.includes(reportFormat)
  })
  const isCsv = reportFormat === 'CSV'
  change({
    reportFormat,
    reportCsvDelimiter: isCsv ? reportCsvDelimiter : undefined,
    reportEncode: isCsv ? reportEncode : undefined,
    configurationReportParameters: kept.length > 0 ? kept : undefined,
  })
}

interface TextFieldProps {
  readonly name: 'reportName' | 'reportCsvDelimiter'
  readonly label: string
}

function TextField({ name, label }: TextFieldProps) {
  return (
    <Field label={label} fault={faultAt(`/${name}`)}>
      {(attributes) => (
        <input
          {...attributes}
          value={draft.value[name] ?? ''}
          placeholder={name === 'reportName' ? draft.value.reportIdentifier : ','}
          onInput={(event) => change({ [name]: event.currentTarget.value || undefined })}
        />
      )}
    </Field>
  )
}

function EncodingField({ encodings }: { readonly encodings: readonly string[] }) {
  return (
    <Field label={texts.report.encoding} fault={faultAt('/reportEncode')}>
      {(attributes) => (
        <select
          {...attributes}
          value={draft.value.reportEncode ?? 'UTF-8'}
          onChange={(event) => change({ reportEncode: event.currentTarget.value })}
        >
          {encodings.map((encoding) => (
            <option key={encoding}>{encoding}</option>
          ))}
        </select>
      )}
    </Field>
  )
}
