import { resolve } from 'node:path'
import type { ReportRequest } from '@counterfoil/protocol'
import { readYaml } from '../packages/gateway/src/config/read-yaml.ts'
import type { EngineQuery } from '../packages/gateway/src/engine/engine.ts'
import { FORMATS } from '../packages/gateway/src/format/formats.ts'
import { parseEnvelope } from '../packages/gateway/src/report/envelope.ts'
import { readParameters } from '../packages/gateway/src/report/parameters.ts'
import { planReport } from '../packages/gateway/src/report/plan.ts'
import { templateSchema } from '../packages/gateway/src/templates/template.ts'

/** The query that the gateway makes of a request, for the bare engine to run; `scope` as SQL over the ledger. */
export function planOf(request: ReportRequest, scope = ''): EngineQuery {
  const file = resolve('reports', `${request.reportIdentifier}.yaml`)
  const template = readYaml(file, templateSchema, 'template').value
  const envelope = parseEnvelope({
    requestId: '',
    method: 'POST',
    target: '/',
    authorization: undefined,
    contentType: 'application/json',
    contentEncoding: undefined,
    body: Buffer.from(JSON.stringify(request)),
  })
  const values = readParameters(template, envelope, new Set(['UTC']))
  const now = Date.now()
  const plan = planReport({
    template,
    values,
    scope: { conditions: new Map(scope === '' ? [] : [['transactions', scope]]) },
    role: 'operator',
    format: FORMATS.CSV,
    envelope,
    now,
  })
  return plan.query
}
