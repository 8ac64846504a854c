import { expect } from 'vitest'
import { runHere } from '../../../counterfoil/test/run-command.ts'
import type { RunningGateway } from '../kit/running-gateway.ts'

/** The checks of a login with an RSA key. */
export const OF_RSA = ['accept-rsa', 'refuse-wrong-rsa-key', 'refuse-pss', 'refuse-rsa-sha1']

/** The result of a check. */
export interface Checked {
  readonly id: string
  readonly subject: string
  readonly outcome: string
  readonly got?: string
}

/** Runs the conformance checks of a gateway with `transactions-list`, and expects that none fails. */
export async function conform(
  { sandbox, reportUrl }: Pick<RunningGateway, 'sandbox' | 'reportUrl'>,
  options: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<readonly Checked[]> {
  const report = ['--report', 'transactions-list', '--parameter', 'dateFrom=2026-10-30']
  const args = ['conformance', ...report, '--json', '--endpoint', reportUrl, ...options]
  const { code, stdout, stderr } = await runHere(args, { folder: sandbox.folder, env })
  expect([code, stderr]).toEqual([0, ''])
  const { ok, checks } = JSON.parse(stdout)
  expect(checks.filter(({ outcome }: Checked) => outcome === 'failed')).toEqual([])
  expect(ok).toBe(true)
  return checks
}

/** The ids of the checks that were skipped. */
export function skippedIn(checks: readonly Checked[]): readonly string[] {
  return checks.filter(({ outcome }) => outcome === 'skipped').map(({ id }) => id)
}
