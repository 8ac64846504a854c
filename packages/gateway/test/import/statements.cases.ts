/** The reason of a refused statement whose project has another one for its day and currency. */
export const TWIN =
  'project_id, business_day, currency: expected no other statement_id with the same values'

const STATEMENT_COLUMNS =
  'statement_id,merchant_id,project_id,currency,business_day,opening,payable,paid_out,closing,company_id,manager_id'

/** Writes a file of statements. */
export function statementsOf(...rows: readonly string[]): string {
  return [STATEMENT_COLUMNS, ...rows.map((row) => `${row},1,1`), ''].join('\n')
}

/** Three statements, one with a wrong sum, and two of the same day. */
export const STATEMENTS = statementsOf(
  '910001,1,1,EUR,2026-10-01,0,10.5,4,6.5',
  '910002,1,1,USD,2026-10-01,0,10.5,4,6.5',
  '910003,1,1,EUR,2026-10-02,6.5,-10,0,-3.5',
  '910004,1,1,EUR,2026-10-03,-3.5,10,0,6',
  '910005,1,1,EUR,2026-10-04,0,1,0,1',
  '910006,1,1,EUR,2026-10-04,0,1,0,1',
)
