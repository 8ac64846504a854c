import type { FilterName } from '@counterfoil/protocol'
import type { Role } from '../store/store.ts'

/** The column of the ledger that each filter goes by, which is also the key of the table of the filter's name. */
export const FILTER_COLUMNS: Readonly<Record<FilterName, string>> = {
  gates: 'gate_id',
  companies: 'company_id',
  projects: 'project_id',
  endpoints: 'endpoint_id',
  merchants: 'merchant_id',
  processors: 'processor_id',
  managers: 'manager_id',
  resellers: 'reseller_id',
  currencies: 'currency',
}

/** The column of the ledger that a role's view goes by; an operator sees everything. */
export const ROLE_COLUMNS: Readonly<Record<Exclude<Role, 'operator'>, string>> = {
  manager: 'manager_id',
  reseller: 'reseller_id',
  merchant: 'merchant_id',
}

/**
 * What belongs to whom today: a row for each endpoint, with the ids of all that it hangs together with. Whose a gate,
 * processor or currency is follows from the endpoints that use it; a merchant without an endpoint has a row too.
 */
export const HIERARCHY = `
SELECT
  merchant_id, company_id, manager_id, reseller_id, project_id, endpoint_id,
  endpoint.gate_id AS gate_id, endpoint.currency AS currency, gate.processor_id AS processor_id
FROM (SELECT * FROM merchants FINAL) AS merchant
LEFT JOIN (SELECT project_id, merchant_id FROM projects FINAL) AS project USING merchant_id
LEFT JOIN (SELECT endpoint_id, project_id, gate_id, currency FROM endpoints FINAL) AS endpoint USING project_id
LEFT JOIN (SELECT gate_id, processor_id FROM gates FINAL) AS gate ON gate.gate_id = endpoint.gate_id`
