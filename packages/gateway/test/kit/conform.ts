import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import type { RunningGateway } from './running-gateway.ts'

const COMMAND = join(import.meta.dirname, '../../../counterfoil/src/main.ts')

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
  const child = spawn(process.execPath, [COMMAND, ...args], {
    cwd: sandbox.folder,
    env: { ...env, NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect([await ended, stderr]).toEqual([0, ''])
  const { ok, checks } = JSON.parse(stdout)
  expect(checks.filter(({ outcome }: Checked) => outcome === 'failed')).toEqual([])
  expect(ok).toBe(true)
  return checks
}

/** The ids of the checks that were skipped. */
export function skippedIn(checks: readonly Checked[]): readonly string[] {
  return checks.filter(({ outcome }) => outcome === 'skipped').map(({ id }) => id)
}
