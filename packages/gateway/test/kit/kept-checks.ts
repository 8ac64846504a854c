import { statSync } from 'node:fs'
import { join } from 'node:path'
import { engineFingerprint } from '../../../engine/src/own-server/own-server.ts'
import {
  fingerprintChecker,
  openReportChecks,
  type ReportChecks,
} from '../../../templates/src/template/report-checks.ts'
import { copyKept, keep, keptPath } from './kept-files.ts'

const NAME = 'report-checks.json'

/** Copies the successful checks of earlier test files to the file of a gateway. */
export function copyChecks(file: string): void {
  copyKept(NAME, file)
}

/** Keeps the successful checks of a gateway for later test files. */
export function keepChecks(file: string): void {
  const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  // A file with fewer reports does not replace one with more.
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
