import * as z from 'zod'

/** The URL of a PostgreSQL database, without a password. TLS verifies the server, or is off. */
export const postgresUrl = z.string().superRefine((written, context) => {
  const fault = faultOf(written)
  if (fault !== undefined) context.addIssue(fault)
})

function faultOf(written: string): string | undefined {
  const url = URL.parse(written)
  const isComplete = url?.username && url.hostname && /^\/[^/]+$/.test(url.pathname)
  if (!isComplete || !['postgres:', 'postgresql:'].includes(url.protocol) || url.hash) {
    return 'expected a URL such as "postgres://user@host:5432/database"'
  }
  if (url.password) return 'expected no password. Write it to a file, and name that in passwordFile'
  if (['', '?sslmode=disable', '?sslmode=verify-full'].includes(url.search)) return undefined
  return 'expected no query, or "?sslmode=verify-full", or "?sslmode=disable"'
}
