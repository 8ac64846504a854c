import * as z from 'zod'
import { isErrorCode } from '@counterfoil/common'
import { importRecordSchema } from '@counterfoil/ledger'

const statements = z.array(z.string()).readonly()

/** What a command asks of the ledger of a running gateway, one call after the other. */
export const ledgerCallSchema = z.discriminatedUnion('call', [
  z.strictObject({
    call: z.enum(['findServer', 'beginImport', 'endImport', 'takeSnapshot', 'dropSnapshot']),
  }),
  z.strictObject({ call: z.literal('commitImport'), record: importRecordSchema, statements }),
  z.strictObject({ call: z.literal('changeLedger'), statements }),
])

/** See {@link ledgerCallSchema}. */
export type LedgerCall = z.infer<typeof ledgerCallSchema>

/** The address of the gateway's own ClickHouse server. */
export const ownAddressSchema = z.object({
  url: z.string(),
  login: z.object({ user: z.string(), password: z.string() }),
})

/** The answer to a call: its end or its error. */
export const ledgerAnswerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('done'), value: z.string().optional() }),
  z.object({
    kind: z.literal('failed'),
    code: z.string().refine(isErrorCode),
    message: z.string(),
    cause: z.string(),
  }),
])

/** See {@link ledgerAnswerSchema}. */
export type LedgerAnswer = z.infer<typeof ledgerAnswerSchema>
