import { resolve } from 'node:path'
import type { ReportRequest } from '@counterfoil/protocol'
import { readYaml } from '../packages/common/src/read-yaml.ts'
import type { EngineQuery } from '../packages/engine/src/engine/engine.ts'
import { chooseColumns } from '../packages/gateway/src/report/content.ts'
import { parseEnvelope } from '../packages/gateway/src/report/envelope.ts'
import {
  type PreparedReport,
  prepareReport,
} from '../packages/gateway/src/report/prepare-report.ts'
import { planReport } from '../packages/gateway/src/report/plan.ts'
import {
  compileTemplate,
  PLAIN_SELECT,
} from '../packages/templates/src/template/compile-template.ts'
import { type TemplateColumn, templateSchema } from '../packages/templates/src/template/template.ts'

/** The texts of a request's rows as a query for the bare engine. `scope` is SQL over the ledger. */
export function planOf(request: ReportRequest, scope = ''): EngineQuery {
  const prepared = prepare(request)
  const conditions = new Map(scope === '' ? [] : [['transactions', scope] as const])
  const { input } = prepared
  const runtime = { input, scope: { conditions }, now: Date.now(), runId: 'bench' }
  return planReport(prepared, runtime).query
}

/** A query with the report's columns as separate columns, which the engine writes as CSV itself. */
export function columnsOf(request: ReportRequest): EngineQuery {
  return { ...selectOf(request, PLAIN_SELECT), format: 'CSV' }
}

/** A query with the report's columns as `select` writes them. */
export function selectOf(
  request: ReportRequest,
  select: (columns: readonly TemplateColumn[]) => readonly string[],
): EngineQuery {
  const { report, format, viewer } = prepare(request)
  const { template } = report
  const columns = chooseColumns(template, [], viewer.role, format).map(({ column }) => column)
  const hasValue = (): boolean => false
  const sql = compileTemplate(template, { columns, hasValue, select: () => select(columns) })
  return { ...planOf({ ...request, reportFormat: 'CSV' }), sql }
}

function prepare(request: ReportRequest): PreparedReport {
  const { reportIdentifier } = request
  const file = resolve('reports', `${reportIdentifier}.yaml`)
  const template = readYaml(file, templateSchema, 'template').value
  const reports = new Map([[reportIdentifier, { template, tables: new Set<never>() }]])
  const viewer = { login: 'bench', role: 'operator', sees: [] } as const
  const envelope = parseEnvelope(Buffer.from(JSON.stringify(request)))
  return prepareReport({ reports, timezones: new Set(['UTC']) }, viewer, envelope)
}
