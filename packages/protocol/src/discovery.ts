import * as z from 'zod/mini'
import { describe, optional, texts, type ValueOf } from './schema.ts'

/** The path at which every gateway describes itself. */
export const DISCOVERY_PATH = '/.well-known/counterfoil'

/** The path of the public keys of signed manifests. */
export const JWKS_PATH = '/.well-known/jwks.json'

/** The schema of the public description of a gateway. */
export const discoverySchema = describe(
  z.object({
    environment: z.enum(['sandbox', 'production']),
    reportPath: z.string(),
    reportUrl: describe(z.string(), 'the URL that callers sign'),
    refusalStatus: z.literal([200, 403]),
    cataloguePath: z.string(),
    catalogueUrl: z.string(),
    runsUrl: z.string(),
    jwksUrl: z.string(),
    consoleUrl: z.exactOptional(z.string()),
    viewSessionUrl: z.exactOptional(z.string()),
    openApiUrl: z.string(),
    signatureMethods: texts(),
    formats: texts(),
    encodings: texts(),
    operationUrls: optional(z.record(z.string(), z.string()), 'append the id of an endpoint'),
  }),
  'The public description of a gateway.',
)

/** The public description of a gateway (docs/protocol.md, "Discovery"). */
export type Discovery = ValueOf<typeof discoverySchema>

/** The schema of the public keys of signed manifests. */
export const jwksSchema = describe(
  z.object({ keys: z.array(z.looseObject({ kty: z.string() })) }),
  'A JSON Web Key Set (RFC 7517).',
)
