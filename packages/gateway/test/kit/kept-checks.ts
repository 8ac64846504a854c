import { statSync } from 'node:fs'
import { join } from 'node:path'
import { engineFingerprint } from '../../src/engine/embedded.ts'
import {
  fingerprintChecker,
  openReportChecks,
  type ReportChecks,
} from '../../src/templates/report-checks.ts'
import { copyKept, keep, keptPath } from './kept-files.ts'

const NAME = 'report-checks.json'

/** Copies what passed its check in earlier test files to the file of a gateway. */
export function copyChecks(file: string): void {
  copyKept(NAME, file)
}

/** Keeps what passed its check on a gateway for later test files. */
export function keepChecks(file: string): void {
  const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  // What knows more reports is not replaced by what knows fewer.
  if (sizeOf(file) > sizeOf(keptPath(NAME))) keep(NAME, file)
}

/** Opens the checks of earlier test files in a folder, for a test that loads reports without a gateway. */
export function openKeptChecks(folder: string): ReportChecks {
  const file = join(folder, NAME)
  copyChecks(file)
  const checks = openReportChecks(file, fingerprintChecker(engineFingerprint()))
  const add: ReportChecks['add'] = (text, tables) => {
    checks.add(text, tables)
    keepChecks(file)
  }
  return { find: checks.find, add }
}
