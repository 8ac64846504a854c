import { resolve } from 'node:path'
import type { ReportRequest } from '@counterfoil/protocol'
import { readYaml } from '../packages/gateway/src/config/read-yaml.ts'
import type { EngineQuery } from '../packages/gateway/src/engine/engine.ts'
import { FORMATS } from '../packages/gateway/src/format/formats.ts'
import { createdDaysQuery } from '../packages/gateway/src/report/created-days.ts'
import { parseEnvelope } from '../packages/gateway/src/report/envelope.ts'
import { readParameters } from '../packages/gateway/src/report/parameters.ts'
import { planReport } from '../packages/gateway/src/report/plan.ts'
import {
  compileTemplate,
  PLAIN_SELECT,
} from '../packages/gateway/src/templates/compile-template.ts'
import { templateSchema } from '../packages/gateway/src/templates/template.ts'

/** The query that the gateway makes of a request, for the bare engine to run; `scope` as SQL over the ledger. */
export function planOf(
  request: ReportRequest,
  scope = '',
  createdDays?: readonly string[],
): EngineQuery {
  const now = Date.now()
  const plan = planReport({
    ...readRequest(request),
    scope: { conditions: new Map(scope === '' ? [] : [['transactions', scope]]) },
    createdDays,
    role: 'operator',
    format: FORMATS.CSV,
    now,
  })
  return plan.query
}

/** The query of a report's columns, each by itself, that the engine writes as CSV by its own means. */
export function columnsOf(request: ReportRequest): EngineQuery {
  const { template } = readRequest(request)
  const columns = template.columns.filter(({ optional }) => !optional)
  const sql = compileTemplate(template, { columns, hasValue: () => false, select: PLAIN_SELECT })
  return { ...planOf(request), sql, format: 'CSV' }
}

/** The look-up of days that the gateway makes before it; none where it makes none. */
export function lookUpOf(request: ReportRequest): ReturnType<typeof createdDaysQuery> {
  const { template, values } = readRequest(request)
  return createdDaysQuery(template, values.input)
}

function readRequest(request: ReportRequest) {
  const file = resolve('reports', `${request.reportIdentifier}.yaml`)
  const template = readYaml(file, templateSchema, 'template').value
  const envelope = parseEnvelope({
    requestId: '',
    method: 'POST',
    target: '/',
    authorization: undefined,
    contentType: 'application/json',
    body: Buffer.from(JSON.stringify(request)),
  })
  return { template, envelope, values: readParameters(template, envelope, new Set(['UTC'])) }
}
