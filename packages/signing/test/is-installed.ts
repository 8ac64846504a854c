import { spawnSync } from 'node:child_process'

/** Whether this machine can start a program. Tests of a missing program count as skipped. */
export function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version']).error === undefined
}
