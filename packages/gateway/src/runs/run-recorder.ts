import { LIMITS, unlessAborted } from '@counterfoil/common'
import type { Run } from '@counterfoil/protocol'
import type { RunStore, StoredRun } from '@counterfoil/store'
import type { Log } from '../observe/log.ts'

interface RecorderDependencies {
  readonly store: Pick<RunStore, 'add' | 'forget' | 'forgetBeyond'>
  readonly log: Log
  readonly now: () => number
  /** How long the store keeps a record. */
  readonly keptMs: number
  /** How many records the store keeps of each login, about. */
  readonly perLoginMax: number
}

/** A run of this process that has no record in the store. */
interface OpenRun {
  readonly login: string
  readonly recorded: PromiseWithResolvers<void>
}

/**
 * Writes the records of runs to the store, in batches and apart from the requests: no report waits for its record. If
 * the store is away, the records wait in memory. Deletes records that are too old, and the oldest records of a login
 * that has too many.
 */
export class RunRecorder {
  readonly #dependencies: RecorderDependencies
  readonly #timer: NodeJS.Timeout
  readonly #open = new Map<string, OpenRun>()
  readonly #unsaved: StoredRun[] = []
  #unsavedLength = 0
  #saving: Promise<void> | undefined
  #isAway = false
  #forgottenAt = 0
  /** The new records of each login since the oldest ones of the login were deleted. */
  readonly #added = new Map<string, number>()

  constructor(dependencies: RecorderDependencies) {
    this.#dependencies = dependencies
    this.#timer = setInterval(() => void this.#save(), LIMITS.runsSavedEveryMs)
  }

  /** Notes that a run of a login begins. Call the returned function with its record when it has ended. */
  begin(runId: string, login: string): (run: Run) => void {
    this.#open.set(runId, { login, recorded: Promise.withResolvers() })
    return (run) => {
      const record = JSON.stringify(run)
      const { reportIdentifier } = run
      const endedAt = new Date(run.endedAt)
      this.#unsaved.push({ runId, login, reportIdentifier, endedAt, record })
      this.#unsavedLength += record.length
      while (this.#unsavedLength > LIMITS.unsavedRunsLengthMax) {
        const oldest = this.#unsaved.shift()
        if (oldest === undefined) return
        this.#dependencies.log.warn(`The record of the run ${oldest.runId} is lost`)
        this.#close(oldest)
      }
    }
  }

  /** Waits for the record of a run of this process and of a login, for `LIMITS.runWaitMs` at most. */
  async recorded(runId: string, login: string | undefined, signal: AbortSignal): Promise<void> {
    const open = this.#open.get(runId)
    if (open === undefined || (login !== undefined && open.login !== login)) return
    void this.#save()
    const late = AbortSignal.any([signal, AbortSignal.timeout(LIMITS.runWaitMs)])
    await unlessAborted(open.recorded.promise, late).catch(() => {})
  }

  /** Writes the last records, and stops. If the store is away, the log says how many are lost. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#saving
    while (this.#unsaved.length > 0) {
      await this.#save()
      if (this.#isAway) break
    }
    const lost = this.#unsaved.length
    if (lost > 0) this.#dependencies.log.warn(`The records of ${lost} runs are lost`)
  }

  async #save(): Promise<void> {
    this.#saving ??= this.#saveBatch().finally(() => (this.#saving = undefined))
    await this.#saving
  }

  async #saveBatch(): Promise<void> {
    const { store, log } = this.#dependencies
    const batch = this.#unsaved.splice(0, LIMITS.runsSavedMax)
    try {
      if (batch.length > 0) await store.add(batch)
      this.#isAway = false
    } catch (error) {
      this.#unsaved.unshift(...batch)
      const message = 'The store cannot write the records of runs. They wait in memory'
      if (!this.#isAway) log.error(message, error)
      this.#isAway = true
      return
    }
    for (const run of batch) {
      this.#close(run)
      this.#added.set(run.login, (this.#added.get(run.login) ?? 0) + 1)
    }
    try {
      for (const [login, added] of this.#added) {
        if (added >= LIMITS.runsOfLoginAddedMax) await this.#forgetBeyond(login)
      }
      await this.#forgetOld()
    } catch (error) {
      log.error('The store cannot delete old records of runs. The gateway tries again', error)
    }
  }

  /** Deletes some of the oldest records of a login that has written many since they were counted. */
  async #forgetBeyond(login: string): Promise<void> {
    const { store, log, perLoginMax } = this.#dependencies
    const forgotten = await store.forgetBeyond(login, perLoginMax, LIMITS.runsForgottenMax)
    if (forgotten < LIMITS.runsForgottenMax) this.#added.set(login, 0)
    if (forgotten === 0) return
    const why = `It has more than ${perLoginMax} (runs.perLoginMax)`
    log.warn(`The ${forgotten} oldest records of runs of ${login} are deleted. ${why}`)
  }

  /** Deletes some of the records that are too old, from time to time. */
  async #forgetOld(): Promise<void> {
    const { store, now, keptMs } = this.#dependencies
    const before = this.#forgottenAt
    if (now() - before < LIMITS.runsForgottenEveryMs) return
    this.#forgottenAt = now()
    const forgotten = await store.forget(new Date(now() - keptMs), LIMITS.runsForgottenMax)
    if (forgotten === LIMITS.runsForgottenMax) this.#forgottenAt = before
  }

  /** Forgets a run that is in the store, or lost. */
  #close({ runId, record }: StoredRun): void {
    this.#unsavedLength -= record.length
    this.#open.get(runId)?.recorded.resolve()
    this.#open.delete(runId)
  }
}
