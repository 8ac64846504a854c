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

/** The URL of a database that a source reads, without a password. */
export const databaseUrl = urlOf(EXPECTED, ({ protocol }) => PROTOCOLS.has(protocol))

/** The URL of the store's PostgreSQL database, without a password. TLS verifies the server, or is off. */
export const postgresUrl = urlOf(
  'expected a URL such as "postgres://user@host:5432/database"',
  ({ protocol, pathname }) => /^postgres(ql)?:$/.test(protocol) && /^\/[^/]+$/.test(pathname),
)

function urlOf(expected: string, isKnown: (url: URL) => boolean) {
  return z.string().superRefine((written, context) => {
    const url = URL.parse(written)
    if (!url?.username || !url.hostname || !isKnown(url) || url.hash) {
      context.addIssue(expected)
    } else if (url.password) {
      context.addIssue('expected no password. Write it to a file, and name that in passwordFile')
    } else if (url.protocol === 'http:' && !LOOPBACK.has(url.hostname)) {
      context.addIssue('expected https://, or http:// on a loopback address')
    } else if (!['', '?sslmode=disable', '?sslmode=verify-full'].includes(url.search)) {
      context.addIssue('expected no query, or "?sslmode=verify-full", or "?sslmode=disable"')
    }
  })
}

/** Whether a text is a pattern of cron with five fields. */
export function isCronPattern(text: string): boolean {
  try {
    return text.trim().split(/\s+/).length === 5 && Boolean(new CronPattern(text))
  } catch {
    return false
  }
}
