import { CronPattern } from 'croner'
import * as z from 'zod'

const EXPECTED =
  'expected a URL such as "postgresql://user@host:5432/name", "mysql://user@host:3306/name" or "https://user@host:8443/name" or "s3://key-id@host/bucket/*.parquet"'
const PROTOCOLS: ReadonlySet<string> = new Set([
  'postgres:',
  'postgresql:',
  'mysql:',
  'https:',
  'http:',
  's3:',
])
/** The names of this machine. */
export const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** The URL of a database, without a password. */
export const databaseUrl = z.string().superRefine((written, context) => {
  const url = URL.parse(written)
  if (!url?.username || !url.hostname || !PROTOCOLS.has(url.protocol) || url.hash) {
    context.addIssue(EXPECTED)
  } else if (url.password) {
    context.addIssue('expected no password. Write it to a file, and name that in passwordFile')
  } else if (url.protocol === 'http:' && !LOOPBACK.has(url.hostname)) {
    context.addIssue('expected https://, or http:// on a loopback address')
  } else if (!['', '?sslmode=disable', '?sslmode=verify-full'].includes(url.search)) {
    context.addIssue('expected no query, or "?sslmode=verify-full", or "?sslmode=disable"')
  }
})

/** Whether a text is a pattern of cron with five fields. */
export function isCronPattern(text: string): boolean {
  try {
    return text.trim().split(/\s+/).length === 5 && Boolean(new CronPattern(text))
  } catch {
    return false
  }
}
