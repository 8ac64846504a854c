import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReadReport } from './reports-kit.ts'

const GOLDEN = join(import.meta.dirname, 'golden')

/** The text of `golden/<name>.csv`, which `UPDATE_GOLDEN=1` writes. */
export function goldenText(name: string, { answer }: ReadReport): string {
  const file = join(GOLDEN, `${name}.csv`)
  if (process.env['UPDATE_GOLDEN'] === '1') {
    mkdirSync(GOLDEN, { recursive: true })
    writeFileSync(file, answer.bytes)
  }
  if (!existsSync(file)) throw new Error(`expected ${file}: UPDATE_GOLDEN=1 writes it`)
  return readFileSync(file, 'utf8')
}
