import { LIMITS } from '@counterfoil/common'
import type { Log } from '../observe/log.ts'
import type { RunStore, StoredRun } from '@counterfoil/store'
import type { Run } from '@counterfoil/protocol'
import { type RetentionLimits, RunRetention } from './run-retention.ts'

/** The dependencies of {@link RunRecorder}. */
export interface RecorderDependencies {
  readonly store: Pick<RunStore, 'add' | 'forget' | 'forgetBeyond'>
  readonly log: Log
  readonly now: () => number
  readonly retention: RetentionLimits
}

/** A run of this process that has no record in the store. */
interface OpenRun {
  readonly login: string
  readonly recorded: PromiseWithResolvers<void>
}

/**
 * Writes the records of runs to the store, in batches and apart from the requests: no report waits for its record. If
 * the store is away, the records wait in memory.
 */
export class RunRecorder {
  readonly #dependencies: RecorderDependencies
  readonly #timer: NodeJS.Timeout
  readonly #open = new Map<string, OpenRun>()
  readonly #unsaved: StoredRun[] = []
  #unsavedLength = 0
  #saving: Promise<void> | undefined
  #isAway = false
  readonly #retention: RunRetention

  constructor(dependencies: RecorderDependencies) {
    this.#dependencies = dependencies
    const { store, retention, log, now } = dependencies
    this.#retention = new RunRetention(store, retention, log, now)
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
      while (this.#unsavedLength > LIMITS.unsavedRunsLengthMax) this.#drop()
    }
  }

  /**
   * Waits for the record of a run of this process, for `LIMITS.runWaitMs` at most.
   *
   * @param login the login of the run; any login by default
   */
  async recorded(runId: string, login: string | undefined, signal: AbortSignal): Promise<void> {
    const open = this.#open.get(runId)
    if (open === undefined || (login !== undefined && open.login !== login)) return
    void this.#save()
    const late = AbortSignal.any([signal, AbortSignal.timeout(LIMITS.runWaitMs)])
    const { promise, resolve } = Promise.withResolvers<void>()
    late.addEventListener('abort', () => resolve(), { once: true })
    await Promise.race([open.recorded.promise, promise])
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

  /** Saves a batch, unless one is being saved. */
  async #save(): Promise<void> {
    this.#saving ??= this.#trySave()
    await this.#saving
  }

  async #trySave(): Promise<void> {
    try {
      await this.#saveBatch()
      this.#isAway = false
    } catch (error) {
      const message = 'The store cannot write the records of runs. They wait in memory'
      if (!this.#isAway) this.#dependencies.log.error(message, error)
      this.#isAway = true
    } finally {
      this.#saving = undefined
    }
  }

  async #saveBatch(): Promise<void> {
    const { store } = this.#dependencies
    const batch = this.#unsaved.splice(0, LIMITS.runsSavedMax)
    if (batch.length > 0) {
      try {
        await store.add(batch)
      } catch (error) {
        this.#unsaved.unshift(...batch)
        throw error
      }
      for (const run of batch) this.#close(run)
      this.#retention.note(batch)
    }
    await this.#retention.apply()
  }

  #drop(): void {
    const oldest = this.#unsaved.shift()
    if (oldest === undefined) return
    this.#dependencies.log.warn(`The record of the run ${oldest.runId} is lost`)
    this.#close(oldest)
  }

  /** Forgets a run that is in the store, or lost. */
  #close({ runId, record }: StoredRun): void {
    this.#unsavedLength -= record.length
    this.#open.get(runId)?.recorded.resolve()
    this.#open.delete(runId)
  }
}
