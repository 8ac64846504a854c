import { createPrivateKey } from 'node:crypto'
import { toReportRequest } from '@counterfoil/client'
import { REPORT_REQUEST_DEFAULTS, type ReportRequest } from '@counterfoil/protocol'
import { Option } from 'commander'
import { addParameter } from './report.ts'
import { REPORTS } from '../conformance/checks/reports.ts'
import { REQUESTS } from '../conformance/checks/requests.ts'
import { SIGNATURES } from '../conformance/checks/signatures.ts'
import { describeResult, type Result, runChecks, selectChecks } from '../conformance/run-checks.ts'
import type { Secret } from '../conformance/sign-request.ts'
import { type GatewayConnection, withClient } from '../connection/read-connection.ts'
import { type ConnectionOptions, GATEWAY_OPTIONS } from '../connection/settings.ts'
import { type CommandDescription, EXIT_CODES, UsageError } from '../command.ts'
import { jsonLine, printable } from '../print/text.ts'
import type { Parameters } from '../report/build-request.ts'

interface ConformanceOptions extends ConnectionOptions {
  readonly report: string
  readonly parameter?: Parameters
  readonly only?: readonly string[]
}

/** Every check, by subject, in the order in which they run. The first check is the plain request. */
export const SUBJECTS = [...SIGNATURES, ...REQUESTS, ...REPORTS]

export const CONFORMANCE: CommandDescription<ConformanceOptions> = {
  name: 'conformance',
  summary: 'check whether a gateway follows the specification',
  description: 'Checks from outside whether a gateway follows the specification.',
  options: [
    new Option('--report <identifier>', 'identifier of a small report').makeOptionMandatory(),
    new Option('--parameter <name=value>', 'parameter of the report (repeatable)').argParser(
      addParameter,
    ),
    new Option('--only <check>', 'run only this check (repeatable)').argParser(addCheck),
    new Option('--json', 'print the results as one line of JSON'),
    ...GATEWAY_OPTIONS,
  ],
  help: `
Examples, with a profile (counterfoil init):
  counterfoil conformance --report transactions-list \\
    --parameter dateFrom=2026-05-01 --parameter dateTo=2026-05-02
  counterfoil conformance --report transactions-list --only refuse-replay

The checks send correct and deliberately wrong requests to a gateway, one at a
time, and compare its answers with the specification. Choose a small report: the
checks ask for it about forty times. A run uses one key. Run the checks again
with a key of the other method.

Exit codes:
  ${EXIT_CODES.done}    every check passed, or does not apply
  ${EXIT_CODES.failed}    a check failed, or the checks ended early
  ${EXIT_CODES.usage}    the command line or the key is wrong; nothing was sent
  ${EXIT_CODES.network}    no connection, or no answer in time
  ${EXIT_CODES.interrupted}  interrupted`,
  async run(options, dependencies) {
    const { signal, stdout } = dependencies
    const known = SUBJECTS.flatMap(({ checks }) => checks.map(([id]) => id))
    const unknown = options.only?.find((id) => !known.includes(id))
    if (unknown !== undefined) {
      throw new UsageError(`--only: there is no check ${unknown}. A run without --only names all`)
    }
    return await withClient(options, dependencies, async (_, connection) => {
      if (new URL(connection.endpoint).search !== '') {
        throw new UsageError(
          '--endpoint: expected a URL without a query, because the checks add one',
        )
      }
      const settings = { ...connection, secret: readSecret(connection), report: requestOf(options) }
      const chosen = selectChecks(SUBJECTS, options.only)
      const { endedBy, results } = await runChecks(chosen, settings, signal)
      const count = (outcome: string) => results.filter((each) => each.outcome === outcome).length
      const counts = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
      const ok = counts.failed === 0 && endedBy === undefined
      if (options.json) stdout.write(jsonLine({ ok, endedBy, ...counts, checks: results }))
      else stdout.write(printable(describeResults(results, endedBy, Object.entries(counts))))
      return ok ? EXIT_CODES.done : EXIT_CODES.failed
    })
  },
}

/** The request of the checks. Its members have their defaults, so that the checks know what to expect. */
function requestOf({ report, parameter }: ConformanceOptions): ReportRequest {
  return toReportRequest({ reportIdentifier: report, ...REPORT_REQUEST_DEFAULTS }, parameter)
}

function readSecret(connection: GatewayConnection): Secret {
  if ('controlKey' in connection) {
    return { method: 'HMAC-SHA1', controlKey: connection.controlKey }
  }
  const { privateKey, passphrase } = connection
  try {
    const key = { key: privateKey, ...(passphrase !== undefined && { passphrase }) }
    return { method: 'RSA-SHA256', privateKey: createPrivateKey(key) }
  } catch (cause) {
    throw new UsageError('--private-key: cannot read the key; check the passphrase', { cause })
  }
}

/** Describes results by subject. After a run that ended early, it leaves out the checks that did not run. */
function describeResults(
  results: readonly Result[],
  endedBy: string | undefined,
  counts: readonly (readonly [string, number])[],
): string {
  const ran = results.filter(({ reason = '' }) => reason !== endedBy)
  const parts = [...Map.groupBy(ran, ({ subject }) => subject)].map(([subject, found]) => {
    return `${subject}\n${found.map(describeResult).join('')}\n`
  })
  const ended = endedBy === undefined ? '' : `The checks ended early: ${endedBy}.\n`
  return `${parts.join('')}${ended}${counts.map(([name, count]) => `${count} ${name}`).join(', ')}.\n`
}

function addCheck(text: string, before: readonly string[] = []): string[] {
  return [...before, text]
}
