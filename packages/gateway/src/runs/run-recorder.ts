import { LIMITS } from '../limits.ts'
import type { Log } from '../observe/log.ts'
import type { RunStore, StoredRun } from '../store/run-store.ts'
import type { Run } from '@counterfoil/protocol'

/** The dependencies of {@link RunRecorder}. */
export interface RecorderDependencies {
  readonly store: RunStore
  readonly log: Log
  readonly now: () => number
  /** How long the store keeps the record of a run. */
  readonly keptMs: number
}

/**
 * Writes the records of runs to the store, in batches and apart from the requests: no report waits for its record. If
 * the store is away, the records wait in memory.
 */
export class RunRecorder {
  readonly #dependencies: RecorderDependencies
  readonly #timer: NodeJS.Timeout
  /** The runs of this process that have no record in the store, by id. */
  readonly #open = new Map<string, PromiseWithResolvers<void>>()
  readonly #unsaved: StoredRun[] = []
  #saving = Promise.resolve()
  #forgottenAt = 0

  constructor(dependencies: RecorderDependencies) {
    this.#dependencies = dependencies
    this.#timer = setInterval(() => this.#tick(), LIMITS.runsSavedEveryMs)
  }

  /** Notes that a run begins. Call the returned function with its record when it has ended. */
  begin(runId: string): (run: Run) => void {
    this.#open.set(runId, Promise.withResolvers())
    return (run) => {
      const { login, reportIdentifier } = run
      const endedAt = new Date(run.endedAt)
      this.#unsaved.push({ runId, login, reportIdentifier, endedAt, record: JSON.stringify(run) })
      if (this.#unsaved.length > LIMITS.unsavedRunsMax) this.#drop()
    }
  }

  /** Waits for the record of a run of this process, for `LIMITS.runWaitMs` at most. */
  async recorded(runId: string, signal: AbortSignal): Promise<void> {
    const open = this.#open.get(runId)
    if (open === undefined) return
    this.#tick()
    const late = AbortSignal.any([signal, AbortSignal.timeout(LIMITS.runWaitMs)])
    const { promise, resolve } = Promise.withResolvers<void>()
    late.addEventListener('abort', () => resolve(), { once: true })
    await Promise.race([open.promise, promise])
  }

  /** Writes the last records, and stops. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#tick()
    await this.#saving
  }

  #tick(): void {
    this.#saving = this.#saving
      .then(() => this.#save())
      .catch((error: unknown) => {
        const { log } = this.#dependencies
        log.error('The store cannot write the records of runs. They wait in memory', error)
      })
  }

  async #save(): Promise<void> {
    const { store, now, keptMs } = this.#dependencies
    const batch = this.#unsaved.slice(0, LIMITS.runsSavedMax)
    if (batch.length > 0) {
      await store.add(batch)
      this.#unsaved.splice(0, batch.length)
      for (const { runId } of batch) this.#close(runId)
    }
    if (now() - this.#forgottenAt < LIMITS.runsForgottenEveryMs) return
    // A full batch may leave more to forget.
    const forgotten = await store.forget(new Date(now() - keptMs), LIMITS.runsForgottenMax)
    if (forgotten < LIMITS.runsForgottenMax) this.#forgottenAt = now()
  }

  #drop(): void {
    const oldest = this.#unsaved.shift()
    if (oldest === undefined) return
    this.#dependencies.log.warn(`The record of the run ${oldest.runId} is lost`)
    this.#close(oldest.runId)
  }

  #close(runId: string): void {
    this.#open.get(runId)?.resolve()
    this.#open.delete(runId)
  }
}
