import { FILTER_NAMES } from '@counterfoil/protocol'
import * as z from 'zod'

export const catalogueSchema = z.object({
  login: z.string(),
  role: z.string(),
  reports: z.array(
    z.object({
      reportIdentifier: z.string(),
      title: z.string(),
      description: z.string(),
      note: z.string().optional(),
      formats: z.array(z.string()),
      encodings: z.array(z.string()),
      columns: z.array(
        z.looseObject({
          name: z.string(),
          kind: z.string(),
          currencyColumn: z.string().optional(),
          optional: z.boolean(),
        }),
      ),
      schemaHash: z.string().regex(/^[0-9a-f]{16}$/),
      inputReportParameters: z.array(z.looseObject({ name: z.string(), type: z.string() })),
      configurationReportParameters: z.array(z.looseObject({ name: z.string() })),
      filters: z.array(z.string()),
      currencyFilter: z.enum(['transaction', 'settlement']),
      totals: z.looseObject({ columns: z.array(z.string()) }).optional(),
      example: z.looseObject({ reportIdentifier: z.string() }),
    }),
  ),
  filterValues: z.record(
    z.enum(FILTER_NAMES),
    z.strictObject({
      values: z.array(z.strictObject({ id: z.string(), name: z.string() })),
      more: z.boolean(),
    }),
  ),
})

export const endpointsSchema = z.object({
  endpoints: z.array(z.strictObject({ id: z.string(), currency: z.string() })),
})

export const newestSchema = z.object({
  newestRows: z.strictObject({ transactions: z.string(), statements: z.string() }),
})
