import type { EngineQuery } from '../engine/engine.ts'
import type { Format } from '../format/format.ts'
import { compileTemplate, formatSelect, SELECT_SETTINGS } from '../templates/compile-template.ts'
import { formatInstant } from '../templates/instants.ts'
import type { Template } from '../templates/template.ts'
import type { Envelope } from './envelope.ts'
import type { ParameterValues } from './parameters.ts'
import type { Scope } from './scope.ts'

/** Everything that a report's query is made of. */
export interface ReportPlan {
  readonly template: Template
  readonly values: ParameterValues
  readonly scope: Scope
  readonly format: Format
  readonly envelope: Envelope
  /** Milliseconds since 1970: when the report was asked for. */
  readonly now: number
}

/**
 * Makes the one query of a report. The scope lies below the report's SQL, on its table itself, wherever the SQL names
 * it. It does not lie on other tables, nor on what a table function reads: a report's SQL is the operator's own. Every
 * parameter's value of a caller is bound; the scope is written into the query, of ids and codes that were checked.
 */
export function planReport(plan: ReportPlan): EngineQuery {
  const { template, values, scope, format, envelope, now } = plan
  const query = compileTemplate(template, (name) => Object.hasOwn(values, name))
  return {
    sql: formatSelect(query),
    parameters: { ...values, now: formatInstant(now) },
    settings: {
      ...format.settings(envelope),
      ...tableFilter(template.from, scope),
      ...SELECT_SETTINGS,
    },
    format: format.engineFormat,
  }
}

function tableFilter(table: string, { condition }: Scope): EngineQuery['settings'] {
  if (condition === '') return {}
  return { additional_table_filters: `{'${table}': '${condition.replaceAll("'", "\\'")}'}` }
}
