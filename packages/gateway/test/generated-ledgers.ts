import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where ledgers are kept that one test file generated, for those after it. */
    generatedLedgers: string
  }
}

/** Vitest's `globalSetup`: a folder for as long as the tests run. */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  project.provide('generatedLedgers', folder)
  return () => rmSync(folder, { recursive: true })
}

/** Brings a closed ledger to `ledger`: a copy of the one in `kept`, which `generate` makes where there is none yet. */
export async function copyLedger(
  kept: string,
  ledger: string,
  generate: () => Promise<void>,
): Promise<void> {
  if (existsSync(kept)) return copy(kept, ledger)
  await generate()
  // Whole or not there: a test file may be ended at any moment.
  copy(ledger, `${kept}.part`)
  renameSync(`${kept}.part`, kept)
}

function copy(from: string, to: string): void {
  // The engine's links are relative ones, and have to stay so.
  cpSync(from, to, { recursive: true, verbatimSymlinks: true })
}
