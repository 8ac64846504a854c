import { JWS_MEDIA_TYPE, runsQuerySchema } from '@counterfoil/protocol'
import * as z from 'zod'
import type { PathMethod } from '../http/answer.ts'
import type { Described, SchemaName } from './components.ts'

/** A path below the path of reports: what the server dispatches by, and what the document says of it. */
export interface SignedRoute {
  /** A segment in braces stands for any text. */
  readonly path: string
  readonly methods: readonly PathMethod[]
  readonly operationId: string
  readonly summary: string
  readonly answer: SchemaName
  readonly otherAnswer?: Described
  /** The members that a request may have: in the query of a GET, or in the body of a POST. */
  readonly query?: Described
}

export type SignedRouteName = 'catalogue' | 'runs' | 'run'

/** The paths below the path of reports. `paths.ts` gives each a handler. */
export const SIGNED_ROUTES: Readonly<Record<SignedRouteName, SignedRoute>> = {
  catalogue: {
    path: '/catalogue',
    methods: ['POST'],
    operationId: 'readCatalogue',
    summary: 'List the reports that you may request',
    answer: 'Catalogue',
  },
  runs: {
    path: '/runs',
    methods: ['GET', 'POST'],
    operationId: 'listRuns',
    summary: 'List your runs, the newest first',
    answer: 'RunPage',
    query: z.toJSONSchema(runsQuerySchema, { io: 'input' }).properties ?? {},
  },
  run: {
    path: '/runs/{runId}',
    methods: ['GET', 'POST'],
    operationId: 'readRun',
    summary: `Read the record of one run; with Accept: ${JWS_MEDIA_TYPE}, as a compact JWS (RFC 7515)`,
    answer: 'Run',
    otherAnswer: {
      [JWS_MEDIA_TYPE]: {
        schema: { type: 'string', pattern: String.raw`^[\w-]+\.[\w-]+\.[\w-]+$` },
      },
    },
  },
}
