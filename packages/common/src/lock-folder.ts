import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { GatewayError } from './errors.ts'

const LOCK_FILE = 'counterfoil.lock'
const TRY_EACH_MS = 100

interface Lock {
  readonly database: DatabaseSync
  holders: number
}

/** The locks of this process, by folder. */
const locks = new Map<string, Lock>()

/**
 * Takes a folder for this process, which may take it several times. The lock is one of SQLite, because Node has no
 * other: the operating system releases it when the process ends, however it ends.
 *
 * @returns what gives the folder back, or nothing where another process has it
 * @throws `store` when the folder cannot be written
 */
export function lockFolder(folder: string): (() => void) | undefined {
  const file = join(realpathSync(folder), LOCK_FILE)
  const lock = locks.get(file) ?? openLock(file)
  if (lock === undefined) return undefined
  locks.set(file, lock)
  lock.holders += 1
  return () => {
    lock.holders -= 1
    if (lock.holders > 0) return
    locks.delete(file)
    lock.database.close()
  }
}

/**
 * Takes a folder as {@link lockFolder} does, and waits for another process that has it.
 *
 * @param onWait hears once that there is something to wait for
 * @returns what gives the folder back, or nothing where the other process keeps it for longer than `waitMs`
 */
export async function waitForFolder(
  folder: string,
  waitMs: number,
  onWait: () => void,
): Promise<(() => void) | undefined> {
  for (let waitedMs = 0; ; waitedMs += TRY_EACH_MS) {
    const release = lockFolder(folder)
    if (release !== undefined || waitedMs >= waitMs) return release
    if (waitedMs === 0) onWait()
    await sleep(TRY_EACH_MS)
  }
}

function openLock(file: string): Lock | undefined {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { timeout: 0 })
    database.exec('BEGIN EXCLUSIVE')
    return { database, holders: 0 }
  } catch (cause) {
    database?.close()
    const reason = cause instanceof Error ? cause.message : String(cause)
    if (reason.includes('locked')) return undefined
    throw new GatewayError('store', `Cannot lock ${file}: ${reason}`, { cause })
  }
}
