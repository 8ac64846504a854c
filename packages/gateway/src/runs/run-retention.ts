import { LIMITS } from '@counterfoil/common'
import type { Log } from '../observe/log.ts'
import type { RunStore, StoredRun } from '@counterfoil/store'

/** Which records of runs the store keeps. */
export interface RetentionLimits {
  /** How long it keeps a record. */
  readonly keptMs: number
  /** How many records it keeps of each login, about. */
  readonly perLoginMax: number
}

/** Deletes the records of runs that are too old, and the oldest records of a login that has too many. */
export class RunRetention {
  readonly #store: Pick<RunStore, 'forget' | 'forgetBeyond'>
  readonly #limits: RetentionLimits
  readonly #log: Pick<Log, 'warn' | 'error'>
  readonly #now: () => number
  #forgottenAt = 0
  #isFailing = false
  /** The new records of each login since the last ones of the login were counted. */
  readonly #added = new Map<string, number>()
  /** The logins that may have too many records. */
  readonly #crowded = new Set<string>()

  constructor(
    store: Pick<RunStore, 'forget' | 'forgetBeyond'>,
    limits: RetentionLimits,
    log: Pick<Log, 'warn' | 'error'>,
    now: () => number,
  ) {
    this.#store = store
    this.#limits = limits
    this.#log = log
    this.#now = now
  }

  /** Notes records that the store has added. */
  note(runs: readonly Pick<StoredRun, 'login'>[]): void {
    for (const { login } of runs) {
      const added = (this.#added.get(login) ?? 0) + 1
      this.#added.set(login, added)
      if (added < LIMITS.runsOfLoginAddedMax) continue
      this.#added.delete(login)
      this.#crowded.add(login)
    }
  }

  /**
   * Deletes some records, if it is time to. Call it again and again: it deletes a limited number at a time. If the
   * store fails, the log says so once, and the next call tries again.
   */
  async apply(): Promise<void> {
    try {
      await this.#deleteSome()
      this.#isFailing = false
    } catch (error) {
      const message = 'The store cannot delete old records of runs. The gateway tries again'
      if (!this.#isFailing) this.#log.error(message, error)
      this.#isFailing = true
    }
  }

  async #deleteSome(): Promise<void> {
    const { runsForgottenMax, runsForgottenEveryMs } = LIMITS
    const { keptMs, perLoginMax } = this.#limits
    for (const login of this.#crowded) {
      const forgotten = await this.#store.forgetBeyond(login, perLoginMax, runsForgottenMax)
      if (forgotten > 0) {
        const why = `It has more than ${perLoginMax} (runs.perLoginMax)`
        this.#log.warn(`The ${forgotten} oldest records of runs of ${login} are deleted. ${why}`)
      }
      if (forgotten < runsForgottenMax) this.#crowded.delete(login)
    }
    if (this.#now() - this.#forgottenAt < runsForgottenEveryMs) return
    const forgotten = await this.#store.forget(new Date(this.#now() - keptMs), runsForgottenMax)
    // There may be more.
    if (forgotten < runsForgottenMax) this.#forgottenAt = this.#now()
  }
}
