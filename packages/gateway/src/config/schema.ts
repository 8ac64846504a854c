import { basename } from 'node:path'
import { CronPattern } from 'croner'
import * as z from 'zod'
import { OPERATIONS } from '@counterfoil/protocol'
import { isKnownZone, isLoopback, LIMITS } from '@counterfoil/common'
import type { MasterKeySource } from '@counterfoil/store'
import { database, isOpenHttp, postgres, serverWith } from './databases.ts'

const SIZE_UNITS = new Map([
  ['KiB', 1024],
  ['MiB', 1024 ** 2],
  ['GiB', 1024 ** 3],
])
const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
const FINGERPRINT = /^SHA256:[A-Za-z0-9+/]{43}=$/

const text = z.string().min(1)
const count = z.int().min(1)

/** A number of seconds. Timers cannot wait for longer than about 24 days. */
const seconds = z.number().positive().max(86_400)

const port = z.int().min(0).max(65_535)

const SIZE_EXPECTED = 'expected a size such as "512MiB" or "1GiB"'

const size = z
  .string({ error: SIZE_EXPECTED })
  .regex(/^[1-9]\d{0,5}(KiB|MiB|GiB)$/, SIZE_EXPECTED)
  .transform((written) => Number.parseInt(written, 10) * (SIZE_UNITS.get(written.slice(-3)) ?? 1))

const origin = z.string().superRefine((written, context) => {
  const url = URL.parse(written)
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    context.addIssue('expected an address such as "https://reports.example.com"')
  } else if (written !== url.origin) {
    context.addIssue(`expected the origin alone: "${url.origin}"`)
  }
})

const path = z.string().refine(isCanonicalPath, {
  error:
    'expected a path such as "/ui/services/v2/rpt-engine", of letters, digits, "-", "_", "." and "~"',
})

const masterKey = z
  .strictObject({ version: count, file: text.optional(), environment: text.optional() })
  .transform(({ version, file, environment }, context): MasterKeySource => {
    if (file !== undefined && environment === undefined) return { version, file }
    if (environment !== undefined && file === undefined) return { version, environment }
    context.addIssue('expected either a file or an environment variable')
    return z.NEVER
  })

const timezone = z
  .string()
  .refine(isKnownZone, 'expected an IANA time zone such as "Europe/Berlin"')

const day = z.iso.date({ error: 'expected a day such as "2026-12-31"' })

const oldReportPath = z.strictObject({
  path,
  /** The origin that callers signed with this path, if it differs. */
  publicUrl: origin.optional(),
  deprecatedSince: day,
  servedUntil: day.optional(),
})

const cronPattern = z.string().refine(isCronPattern, {
  error: 'expected five fields of cron, such as "*/5 * * * *"',
})

/** When the gateway syncs a source. */
const sync = z.strictObject({
  source: text,
  schedule: cronPattern,
  /** When a sync compares all days of creation. */
  compareAll: cronPattern.optional(),
})

const payments = z.strictObject({
  apiPathPrefix: path.default('/gate'),
  rsaOnly: z.array(z.enum(Object.values(OPERATIONS).map(({ name }) => name))).default([]),
  /** How many operations the store keeps of each login. */
  perLoginMax: count.default(1_000_000),
  /** How many operations of each login the gateway accepts on a day (UTC). */
  perLoginAndDayMax: count.default(100_000),
})

/** `false` switches the console off. */
const consoleSettings = z.union([
  z.literal(false),
  z.strictObject({
    path: path.default('/console'),
    /** Lets people without keys see reports by one-time links. */
    viewSessions: z
      .strictObject({ minutes: count.max(LIMITS.viewMinutesMax).default(60) })
      .optional(),
  }),
])

const cluster = serverWith({ urls: z.array(origin).min(1), user: text })

/** What stands above statements in PDF. */
const letterhead = z.strictObject({
  name: text.max(100),
  address: z.array(text.max(100)).max(8).default([]),
  /** PNG or JPEG. */
  logo: text.optional(),
})

/** The shape of the configuration file. docs/configuration.md explains each field. */
export const configSchema = z
  .strictObject({
    environment: z.enum(['sandbox', 'production']),
    publicUrl: origin,
    reportPath: path,
    oldReportPaths: z.array(oldReportPath).default([]),
    refusalStatus: z
      .union([z.literal(200), z.literal(403)], { error: 'expected 200 or 403' })
      .default(200),
    listen: z
      .strictObject({ host: text.default('127.0.0.1'), port: port.default(8080) })
      .prefault({}),
    metrics: z.strictObject({ host: text.default('127.0.0.1'), port }).optional(),
    tls: z.strictObject({ certificate: text, key: text }).optional(),
    proxyEndsTls: z.boolean().default(false),
    dataDir: text,
    store: z.strictObject({ postgres }).optional(),
    reports: text,
    /** The IANA time zone of the operator's business days, which reports name. */
    businessDayZone: timezone.default('UTC'),
    /** The time zone of reports, unless the login or the request has one. */
    timezone: timezone.default('UTC'),
    masterKeys: z.array(masterKey).min(1),
    otherEnvironment: z
      .strictObject({
        keyFingerprints: z
          .array(z.string().regex(FINGERPRINT, 'expected a fingerprint as "keys list" shows it'))
          .default([]),
      })
      .optional(),
    engine: z
      .strictObject({
        sessions: count.max(24).default(8),
        queueLength: z.int().min(0).default(64),
        queueWaitSeconds: seconds.default(30),
        querySeconds: seconds.default(1800),
        queryMemoryMax: size.prefault('1GiB'),
        memoryMax: size.prefault('4GiB'),
        cluster: cluster.optional(),
      })
      .prefault({}),
    /** The databases of sources, by the names that the sources use. */
    databases: z.record(z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/), database).default({}),
    syncs: z.array(sync).default([]),
    /** How far the syncs may be behind, for reports of a period that goes on. */
    dataLagMinutes: count.optional(),
    payments: payments.optional(),
    formats: z
      .strictObject({
        pdf: z
          .strictObject({
            rowsMax: count.default(1_000_000),
            taggedRowsMax: z.int().min(0).default(10_000),
            letterhead: letterhead.optional(),
          })
          .prefault({}),
      })
      .prefault({}),
    /** How long the store keeps the records of runs, and how many of each login. */
    runs: z
      .strictObject({ keptDays: count.default(400), perLoginMax: count.default(100_000) })
      .prefault({}),
    console: consoleSettings.prefault({}),
    /** The severities of the ledger's rules, by their names. */
    ledgerRules: z.record(z.string(), z.enum(['refuse', 'warn', 'off'])).default({}),
    /** The day before which imports and syncs change nothing, in UTC. */
    ledgerClosedBefore: day.optional(),
    drainSeconds: seconds.default(30),
    log: z.strictObject({ level: z.enum(LOG_LEVELS).default('info') }).prefault({}),
  })
  .superRefine((config, context) => {
    const fault = (message: string, ...at: (string | number)[]) =>
      context.addIssue({ code: 'custom', message, path: at })
    const unique = (values: readonly unknown[], message: string, list: string, field: string) => {
      for (const [index, value] of values.entries()) {
        if (values.indexOf(value) < index) fault(message, list, index, field)
      }
    }

    if (config.environment === 'production' && config.publicUrl.startsWith('http:')) {
      fault('expected an address that begins with "https://" in production', 'publicUrl')
    } else if (config.tls && config.publicUrl.startsWith('http:')) {
      fault('expected https://, because "tls" is set', 'publicUrl')
    }
    if (config.console && config.console.viewSessions && isOpenHttp(config.publicUrl)) {
      const expected = 'expected https://, or http:// on a loopback address'
      fault(`${expected}, because "console.viewSessions" sets a cookie`, 'publicUrl')
    }
    if (config.tls && config.proxyEndsTls) {
      fault('expected false, or no "tls": either a proxy or the gateway ends TLS', 'proxyEndsTls')
    }
    if (!config.tls && !config.proxyEndsTls && !isLoopback(config.listen.host)) {
      const advice = 'without "tls", or "proxyEndsTls: true" behind a proxy that ends TLS'
      fault(`expected a loopback address such as "127.0.0.1" ${advice}`, 'listen', 'host')
    }
    for (const [index, url] of (config.engine.cluster?.urls ?? []).entries()) {
      if (isOpenHttp(url) && config.environment === 'production') {
        const expected = 'expected https://, or http:// on a loopback address'
        fault(`${expected}: the password must not be readable`, 'engine', 'cluster', 'urls', index)
      }
    }
    if (config.dataLagMinutes !== undefined && config.syncs.length === 0) {
      fault('expected "syncs", too', 'dataLagMinutes')
    }
    const sources = config.syncs.map(({ source }) => basename(source))
    unique(sources, 'expected a file name that no other sync has', 'syncs', 'source')
    const versions = config.masterKeys.map(({ version }) => version)
    unique(versions, 'expected a unique version for each master key', 'masterKeys', 'version')
    if (config.environment === 'production' && config.payments) {
      fault('not allowed in production: only a sandbox has form operations', 'payments')
    }
    const consolePath = config.console && `${config.console.path}/`
    if (consolePath !== false && `${config.reportPath}/`.startsWith(consolePath)) {
      fault('expected a path that is not the start of "reportPath"', 'console', 'path')
    }
    const paths = [config.reportPath, ...config.oldReportPaths.map((old) => old.path)]
    for (const [index, old] of config.oldReportPaths.entries()) {
      if (paths.indexOf(old.path) !== index + 1) {
        fault('expected a path that no other entry has', 'oldReportPaths', index, 'path')
      }
    }
  })
  .transform((config) => {
    const isOn = config.environment === 'sandbox'
    return { ...config, payments: isOn ? (config.payments ?? payments.parse({})) : undefined }
  })

function isCronPattern(written: string): boolean {
  try {
    return written.trim().split(/\s+/).length === 5 && Boolean(new CronPattern(written))
  } catch {
    return false
  }
}

function isCanonicalPath(written: string): boolean {
  // Other paths have a meaning for the router, or more than one spelling.
  if (!/^(\/[\w.~-]+)+$/.test(written)) return false
  return URL.parse(written, 'http://localhost')?.pathname === written
}
