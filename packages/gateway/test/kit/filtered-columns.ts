import type { FilterName } from '@counterfoil/protocol'

/** The column of a transaction for each filter, repeated here because the tests check the product's own table. */
export const FILTERED_COLUMNS = {
  gates: 'gate_id',
  companies: 'company_id',
  projects: 'project_id',
  endpoints: 'endpoint_id',
  merchants: 'merchant_id',
  processors: 'processor_id',
  managers: 'manager_id',
  resellers: 'reseller_id',
  currencies: 'currency',
} as const satisfies Record<FilterName, string>
