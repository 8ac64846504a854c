import { spawnSync } from 'node:child_process'

/**
 * Whether a program can be started here; what needs one that cannot is skipped, and counted as
 * skipped.
 */
export function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version']).error === undefined
}
