import {
  type CatalogueParameter,
  type CatalogueReport,
  filterId,
  type FilterName,
  type FilterValues,
} from '@counterfoil/protocol'
import { faultAt, parameterPointer } from '../answer/ask.ts'
import { Checks, RadioChoice, SelectField, TextField } from '../controls/fields.tsx'
import { session } from '../session/session.ts'
import { change, draft, type ParameterList, setFilter, setParameter, valueOf } from './draft.ts'
import { hintOf, labelOf, valueLabelOf } from './labels.ts'
import { dayOf, ownTimezone, PERIODS } from './periods.ts'

interface ReportProps {
  readonly report: CatalogueReport
}

interface ParameterProps {
  readonly list: ParameterList
  readonly parameter: CatalogueParameter
}

export function ParameterField({ list, parameter }: ParameterProps) {
  const { name, type, title, required, allowed } = parameter
  const set = (text: string) => setParameter(list, parameter, text)
  const value = valueOf(list, name)
  const label = required ? `${labelOf(name)} (required)` : labelOf(name)
  const fault = faultAt(draft.value, parameterPointer(list, name))
  const options = type === 'INPUT_BOOLEAN' ? ['true', 'false'] : allowed
  if (parameter.list && Array.isArray(allowed)) {
    const none = parameter.default ? `the default: ${parameter.default}` : 'all'
    return (
      <Checks
        legend={label}
        options={allowed.map((one: string) => [one, one])}
        chosen={value.split(',')}
        onChoose={(chosen) => set(chosen.join(','))}
        hint={`${title}. Check none for ${none}.`}
        class="choice wide"
        fault={fault}
      />
    )
  }
  const common = { label, hint: hintOf(parameter), fault, value }
  if (!Array.isArray(options)) {
    return (
      <TextField
        {...common}
        placeholder={parameter.default ?? ''}
        inputMode={type === 'INPUT_NUMBER' ? 'numeric' : undefined}
        list={name === 'timezone' ? 'timezones' : undefined}
        onInput={set}
      />
    )
  }
  const usual =
    parameter.default === undefined
      ? 'not set'
      : `${valueLabelOf(name, parameter.default)} (default)`
  const choices = options.map((one: string) => [one, valueLabelOf(name, one)] as const)
  return <SelectField {...common} options={[['', usual], ...choices]} onChoose={set} />
}

const BOUNDS = [
  ['dateFrom', 'From'],
  ['dateTo', 'To (not included)'],
] as const

export function PeriodFields({ report }: ReportProps) {
  const list = 'inputReportParameters'
  const set = (name: string, value: string) => {
    const parameter = report[list].find((declared) => declared.name === name)
    if (parameter) setParameter(list, parameter, value)
  }
  const choose = (periodOf: (typeof PERIODS)[keyof typeof PERIODS]) => {
    const period = periodOf(dayOf(new Date(), valueOf(list, 'timezone') || ownTimezone()))
    for (const [name, value] of Object.entries(period)) set(name, value)
  }
  return (
    <fieldset class="period">
      <legend class="hidden">Period</legend>
      <div class="fields">
        {BOUNDS.map(([name, label]) => (
          <TextField
            key={name}
            label={label}
            fault={faultAt(draft.value, parameterPointer(list, name))}
            // A request may also name a time of the day, for which a date control would be empty.
            type={/^(\d{4}-\d\d-\d\d)?$/.test(valueOf(list, name)) ? 'date' : 'text'}
            value={valueOf(list, name)}
            onInput={(text) => set(name, text)}
          />
        ))}
      </div>
      <div class="actions">
        {Object.entries(PERIODS).map(([name, periodOf]) => (
          <button type="button" class="small" key={name} onClick={() => choose(periodOf)}>
            {name}
          </button>
        ))}
      </div>
    </fieldset>
  )
}

/** The filters of a report. People choose what the catalogue lists, and type ids only if it does not list all. */
export function FiltersFields({ report }: ReportProps) {
  const { filterValues = {} } = session.value?.catalogue ?? {}
  return (
    <div class="fields">
      {report.filters.map((name) => {
        const listed = filterValues[name]
        const chosen = (draft.value.filters?.[name] ?? []).map(filterId)
        if (listed && !listed.more) {
          const isChoice = listed.values.length > 1 || chosen.length > 0
          return isChoice && <ChosenFilter key={name} name={name} listed={listed} chosen={chosen} />
        }
        return (
          <TextField
            key={name}
            label={labelOf(name)}
            fault={faultAt(draft.value, `/filters/${name}`)}
            value={chosen.join(', ')}
            placeholder={name === 'currencies' ? 'EUR, USD' : 'everything'}
            onChange={(text) => setFilter(name, text.split(/\s*,\s*|^\s+|\s+$/).filter(Boolean))}
          />
        )
      })}
    </div>
  )
}

interface FilterProps {
  readonly name: FilterName
  readonly listed: FilterValues
  readonly chosen: readonly string[]
}

/** A request may also name ids of the past, which the catalogue does not list. */
function ChosenFilter({ name, listed, chosen }: FilterProps) {
  const past = chosen.filter((id) => !listed.values.some((value) => value.id === id))
  const all = [...listed.values, ...past.map((id) => ({ id, name: '' }))]
  return (
    <details class="wide filter">
      <summary>
        {labelOf(name)}{' '}
        <small>{chosen.length === 0 ? 'everything' : `${chosen.length} chosen`}</small>
      </summary>
      <Checks
        legend={labelOf(name)}
        isLegendHidden
        options={all.map(({ id, name: title }) => [
          id,
          <>
            <bdi>{title || id}</bdi> {title !== '' && title !== id && <small>{id}</small>}
          </>,
        ])}
        chosen={chosen}
        onChoose={(ids) => setFilter(name, ids)}
        fault={faultAt(draft.value, `/filters/${name}`)}
      />
    </details>
  )
}

export function ColumnsField({ report }: ReportProps) {
  const usual = report.columns.filter(({ optional }) => !optional).map(({ name }) => name)
  const elements = draft.value.outputReportParameters ?? []
  const chosen = elements.map((element) => (typeof element === 'string' ? element : element.name))
  const choose = (names: readonly string[]) => {
    const isUsual = names.length === 0 || names.join() === usual.join()
    change({ outputReportParameters: isUsual ? undefined : names })
  }
  return (
    <Checks
      legend="Columns"
      isLegendHidden
      options={report.columns.map(({ name, about }) => [
        name,
        <>
          <b>{name}</b>
          <small>{about}</small>
        </>,
      ])}
      chosen={chosen.length > 0 ? chosen : usual}
      onChoose={choose}
      class="columns"
    />
  )
}

/** The setting that makes a CSV open well in a spreadsheet. It stands beside the format. */
const SPREADSHEET = 'spreadsheet'

const FOR_PEOPLE: readonly string[] = ['XLSX', 'PDF', 'CSV']

export function FormatField({ report }: ReportProps) {
  const { reportFormat = 'CSV' } = draft.value
  const others = report.formats.filter((format) => !FOR_PEOPLE.includes(format))
  const formats = [...FOR_PEOPLE.filter((format) => report.formats.includes(format)), ...others]
  const spreadsheet = report.configurationReportParameters.find(({ name }) => name === SPREADSHEET)
  return (
    <>
      <RadioChoice
        legend="File format"
        options={formats.map((format) => [format, format])}
        chosen={reportFormat}
        onChoose={(format) => chooseFormat(report, format)}
      />
      {reportFormat === 'CSV' && spreadsheet && (
        <ParameterField list="configurationReportParameters" parameter={spreadsheet} />
      )}
    </>
  )
}

/** Changes the format, and removes the settings that the new one does not have. */
function chooseFormat(report: CatalogueReport, reportFormat: string): void {
  const before = draft.value.configurationReportParameters ?? []
  const kept = before.filter(({ name }) => {
    const declared = report.configurationReportParameters.find((other) => other.name === name)
    return declared?.formats?.includes(reportFormat)
  })
  change({
    reportFormat,
    ...(reportFormat !== 'CSV' && { reportCsvDelimiter: undefined, reportEncode: undefined }),
    configurationReportParameters: kept.length > 0 ? kept : undefined,
  })
}

export function FileFields({ report }: ReportProps) {
  const { reportFormat = 'CSV', reportIdentifier, reportEncode = 'UTF-8' } = draft.value
  const text = (name: 'reportName' | 'reportCsvDelimiter', label: string, usual: string) => (
    <TextField
      label={label}
      fault={faultAt(draft.value, `/${name}`)}
      value={draft.value[name] ?? ''}
      placeholder={usual}
      onInput={(typed) => change({ [name]: typed || undefined })}
    />
  )
  const parameters = report.configurationReportParameters.filter(({ name, formats }) => {
    return name !== 'timezone' && name !== SPREADSHEET && formats?.includes(reportFormat)
  })
  return (
    <div class="fields">
      {text('reportName', 'File name, without its extension', reportIdentifier)}
      {reportFormat === 'CSV' && (
        <>
          {text('reportCsvDelimiter', 'Delimiter', ',')}
          <SelectField
            label="Encoding"
            value={reportEncode}
            options={report.encodings.map((encoding) => [encoding, encoding])}
            onChoose={(encoding) => change({ reportEncode: encoding })}
          />
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
  )
}
