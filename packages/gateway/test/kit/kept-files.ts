import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of files that test files share: ledgers, keys, checks of report files. */
    keptFiles: string
  }
}

/** Vitest's `globalSetup`: a folder that exists while the tests run. */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  project.provide('keptFiles', folder)
  return () => rmSync(folder, { recursive: true })
}

/** Copies the closed ledger `name` to `ledger`. If no test file has made it yet, calls `make`. */
export async function copyLedger(
  name: string,
  ledger: string,
  make: () => Promise<void>,
): Promise<void> {
  if (copyKept(name, ledger)) return
  await make()
  keep(name, ledger)
}

/** The path of a kept file or folder. */
export function keptPath(name: string): string {
  return join(inject('keptFiles'), name)
}

/** Copies a kept file or folder to `path`. Returns false if there is none of this name. */
export function copyKept(name: string, path: string): boolean {
  const kept = keptPath(name)
  if (!existsSync(kept)) return false
  copy(kept, path)
  return true
}

/** Keeps a copy of a file or a folder. A file replaces an earlier one of its name; a folder does not. */
export function keep(name: string, path: string): void {
  const kept = keptPath(name)
  // Test files run in parallel and may end at any moment. So a copy is complete before it gets its name.
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
  // The engine's links are relative, and must stay relative.
  cpSync(from, to, { recursive: true, verbatimSymlinks: true })
}
