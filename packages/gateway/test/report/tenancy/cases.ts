import {
  FILTER_NAMES,
  type FilterName,
  type InputParameter,
  type ReportRequest,
} from '@counterfoil/protocol'
import fc from 'fast-check'
import { reportsOf } from '../../../src/report/prepare-report.ts'
import { CONFIGURATION_PARAMETERS } from '../../../src/report/configuration.ts'
import type { Catalogue } from '../../../../templates/src/template/load-templates.ts'
import type { TemplateParameter } from '../../../../templates/src/template/parameters.ts'
import { isFor, parametersOf, type Template } from '../../../../templates/src/template/template.ts'
import type { Viewer } from './own-ledger.ts'

/** A request of a viewer. */
export interface Case {
  readonly viewer: number
  readonly request: ReportRequest
}

/** The values from which requests are made. */
export interface World {
  readonly viewers: readonly Viewer[]
  readonly catalogue: Catalogue
  /** All ids of the ledger, as text. */
  readonly ids: Readonly<Record<FilterName, readonly string[]>>
  /** The ids in each viewer's own rows. */
  readonly ownIds: readonly Readonly<Record<FilterName, readonly string[]>>[]
  /** Texts for parameters that take any text. */
  readonly texts: readonly string[]
  /** The period of the ledger, in milliseconds since 1970. */
  readonly from: number
  readonly to: number
}

const DAY_MS = 86_400_000
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/Sao_Paulo',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
]

/** Any request that a viewer may make: any report, period, parameters, filters, columns and configuration. */
export function anyCase(world: World): fc.Arbitrary<Case> {
  const { viewers, catalogue } = world
  return fc.integer({ min: 0, max: viewers.length - 1 }).chain((viewer) => {
    const role = viewers[viewer]?.role ?? 'merchant'
    // A manager's statement also settles transactions of other managers (`statements.test.ts`).
    const templates = reportsOf(catalogue, role)
      .map(({ template }) => template)
      .filter(({ rows }) => role !== 'manager' || rows !== 'statements')
    return fc
      .constantFrom(...templates)
      .chain((template) => anyRequest(world, viewer, template))
      .map((request): Case => ({ viewer, request }))
  })
}

function anyRequest(world: World, viewer: number, template: Template): fc.Arbitrary<ReportRequest> {
  const role = world.viewers[viewer]?.role ?? 'merchant'
  const columns = template.columns.filter((column) => isFor(column, role)).map(({ name }) => name)
  const totals = { type: 'INPUT_TEXT', name: 'totals', value: 'only' } as const
  const written = fc.oneof(
    { weight: 1, arbitrary: fc.constant({ outputReportParameters: [] }) },
    {
      weight: 2,
      arbitrary: fc
        .shuffledSubarray(columns, { minLength: 1 })
        .map((names) => ({ outputReportParameters: names })),
    },
    ...(template.totals
      ? [{ weight: 1, arbitrary: fc.constant({ configurationReportParameters: [totals] }) }]
      : []),
  )
  return fc
    .record({
      reportIdentifier: fc.constant(template.identifier),
      inputReportParameters: inputs(template, world),
      configurationReportParameters: configurations(),
      filters: filters(world, viewer),
      reportCsvDelimiter: fc.constantFrom(',', ';', '\t', '|'),
    })
    .chain((request) => written.map((change): ReportRequest => ({ ...request, ...change })))
}

function configurations(): fc.Arbitrary<readonly InputParameter[]> {
  const choices = CONFIGURATION_PARAMETERS.flatMap(({ name, allowed }) => {
    const isChoice = Array.isArray(allowed) && name !== 'totals'
    return isChoice ? [element(name, fc.constantFrom(...allowed))] : []
  })
  return fc.subarray(choices, { maxLength: 3 }).chain((chosen) => fc.tuple(...chosen))
}

function element(name: string, value: fc.Arbitrary<string>): fc.Arbitrary<InputParameter> {
  return value.map((text) => ({ type: 'INPUT_TEXT', name, value: text }))
}

function inputs(template: Template, world: World): fc.Arbitrary<readonly InputParameter[]> {
  const others = parametersOf(template).filter(
    ({ name }) => name !== 'dateFrom' && name !== 'dateTo',
  )
  const own = others.map((parameter) => {
    const one = element(parameter.name, valueOf(parameter, world)).map((only) => [only])
    return parameter.required ? one : fc.oneof(fc.constant([]), one)
  })
  const period = template.period ? periodOf(template.period, world) : fc.constant([])
  return fc.tuple(period, ...own).map((lists) => lists.flat())
}

function periodOf(
  { required, daysMax }: NonNullable<Template['period']>,
  { from, to }: World,
): fc.Arbitrary<readonly InputParameter[]> {
  const days = Math.floor((to - from) / DAY_MS)
  const longest = Math.min(days, daysMax ?? days)
  const written = (name: string, day: number): InputParameter => ({
    type: 'INPUT_TEXT',
    name,
    value: new Date(from + day * DAY_MS).toISOString().slice(0, 10),
  })
  const both = fc
    .record({
      start: fc.integer({ min: 0, max: days - 1 }),
      length: fc.integer({ min: 1, max: longest }),
    })
    .map(({ start, length }) => {
      return [written('dateFrom', start), written('dateTo', start + length)]
    })
  if (required) return both
  const either = both.chain((ends) => fc.subarray([...ends], { maxLength: 1 }))
  return fc.oneof({ weight: 2, arbitrary: both }, { weight: 1, arbitrary: either })
}

function valueOf(parameter: TemplateParameter, { texts }: World): fc.Arbitrary<string> {
  const { allowed, list } = parameter
  if (allowed === 'timezones') return fc.constantFrom(...ZONES)
  const one = fc.constantFrom(...(allowed ?? someValues(parameter, texts)))
  return list ? fc.array(one, { minLength: 1, maxLength: 3 }).map((all) => all.join(',')) : one
}

function someValues(
  { type, name }: TemplateParameter,
  texts: readonly string[],
): readonly string[] {
  if (type === 'INPUT_BOOLEAN') return ['true', 'false']
  if (type === 'INPUT_NUMBER') return ['0', '1', '2', '0.5']
  if (type === 'INPUT_DATE' || type === 'INPUT_DATETIME') return ['2026-03-29', '2026-10-01']
  return [...texts, name]
}

function filters(
  world: World,
  viewer: number,
): fc.Arbitrary<NonNullable<ReportRequest['filters']>> {
  const foreign = (name: FilterName) => {
    return fc.constantFrom(...world.ids[name], name === 'currencies' ? 'XTS' : '999999')
  }
  const ownOf = (name: FilterName) => {
    const own = world.ownIds[viewer]?.[name] ?? []
    return own.length > 0 ? fc.constantFrom(...own) : foreign(name)
  }
  const values = (name: FilterName): fc.Arbitrary<readonly string[]> => {
    const own = fc.array(ownOf(name), { minLength: 1, maxLength: 4 })
    // A foreign id and an unknown id must give the same error.
    const any = fc.array(fc.oneof(ownOf(name), foreign(name)), { minLength: 1, maxLength: 2 })
    return fc.oneof({ weight: 12, arbitrary: own }, { weight: 1, arbitrary: any })
  }
  const some = fc.shuffledSubarray([...FILTER_NAMES], { minLength: 1, maxLength: 2 })
  return fc.oneof(fc.constant([]), some).chain((names) => {
    return fc.tuple(...names.map(values)).map((lists) => {
      return Object.fromEntries(names.map((name, index) => [name, lists[index] ?? []]))
    })
  })
}
