import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of what one test file made and others use: ledgers, keys, checks of report files. */
    keptFiles: string
  }
}

/** Vitest's `globalSetup`: a folder for as long as the tests run. */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  project.provide('keptFiles', folder)
  return () => rmSync(folder, { recursive: true })
}

/** Copies a closed ledger of a name to `ledger`. Where no test file has made it yet, `make` does. */
export async function copyLedger(
  name: string,
  ledger: string,
  make: () => Promise<void>,
): Promise<void> {
  if (copyKept(name, ledger)) return
  await make()
  keep(name, ledger)
}

/** Where a file or folder of a name is kept. */
export function keptPath(name: string): string {
  return join(inject('keptFiles'), name)
}

/** Copies a kept file or folder to `path`. Returns false where none has the name. */
export function copyKept(name: string, path: string): boolean {
  const kept = keptPath(name)
  if (!existsSync(kept)) return false
  copy(kept, path)
  return true
}

/** Keeps a copy of a file or a folder. A file replaces an earlier one of its name; the first folder stays. */
export function keep(name: string, path: string): void {
  const kept = keptPath(name)
  // Test files run side by side, and may end at any moment: a copy is complete before it gets its name.
  const part = `${kept}.${process.pid}.part`
  copy(path, part)
  try {
    renameSync(part, kept)
  } catch (error) {
    rmSync(part, { recursive: true })
    if (!existsSync(kept)) throw error
  }
}

function copy(from: string, to: string): void {
  // The engine's links are relative ones, and have to stay so.
  cpSync(from, to, { recursive: true, verbatimSymlinks: true })
}
