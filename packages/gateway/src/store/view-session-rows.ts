import * as z from 'zod'
import type { ViewSession } from './view-session-store.ts'

const instant = z.coerce.number().transform((ms) => new Date(ms))

const viewSessionRow = z
  .object({
    session_id: z.string(),
    login: z.string(),
    made_at: instant,
    began_at: z.coerce.number().nullable(),
    expires_at: instant,
  })
  .transform(
    (row): ViewSession => ({
      sessionId: row.session_id,
      login: row.login,
      madeAt: row.made_at,
      ...(row.began_at !== null && { beganAt: new Date(row.began_at) }),
      expiresAt: row.expires_at,
    }),
  )

/** Reads a row of the table `view_sessions`. */
export function readViewSession(row: unknown): ViewSession {
  return viewSessionRow.parse(row)
}
