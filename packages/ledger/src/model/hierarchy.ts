import type { FilterName } from '@counterfoil/protocol'
import type { Role } from '@counterfoil/common'

/** The ledger column of each filter. It is also the key of the table that has the filter's name. */
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

/** The ledger column that limits what each role sees. An operator sees everything. */
export const ROLE_COLUMNS: Readonly<Record<Exclude<Role, 'operator'>, string>> = {
  manager: 'manager_id',
  reseller: 'reseller_id',
  merchant: 'merchant_id',
}

/**
 * Today's hierarchy: one row for each endpoint, with the ids of everything it belongs to. The gates, processors and
 * currencies of a caller follow from the endpoints that use them. A merchant without an endpoint has a row too.
 */
export const HIERARCHY = `
SELECT
  merchant_id, company_id, manager_id, reseller_id, project_id, endpoint_id,
  endpoint.gate_id AS gate_id, endpoint.currency AS currency, gate.processor_id AS processor_id
FROM (SELECT * FROM merchants FINAL) AS merchant
LEFT JOIN (SELECT project_id, merchant_id FROM projects FINAL) AS project USING merchant_id
LEFT JOIN (SELECT endpoint_id, project_id, gate_id, currency FROM endpoints FINAL) AS endpoint USING project_id
LEFT JOIN (SELECT gate_id, processor_id FROM gates FINAL) AS gate ON gate.gate_id = endpoint.gate_id`
