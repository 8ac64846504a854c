/**
 * Iterates over the rows of batches. An async generator would do the same, but take a fifth longer for each row of a
 * report.
 */
export class RowIterator<R extends object> implements AsyncIterableIterator<R, undefined, void> {
  readonly #batches: AsyncGenerator<readonly R[], void, void>
  #batch: readonly R[] = []
  #index = 0
  #loaded: Promise<unknown> = Promise.resolve()

  constructor(batches: AsyncGenerator<readonly R[], void, void>) {
    this.#batches = batches
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<R, undefined>> {
    const value = this.#take()
    if (value) return Promise.resolve({ done: false, value })
    // One after the other, even if the caller does not wait for the row before.
    const loaded = this.#loaded.then(() => this.#load())
    this.#loaded = loaded.catch(() => {})
    return loaded
  }

  async return(): Promise<IteratorResult<R, undefined>> {
    this.#batch = []
    await this.#batches.return()
    return { done: true, value: undefined }
  }

  async #load(): Promise<IteratorResult<R, undefined>> {
    for (;;) {
      const value = this.#take()
      if (value) return { done: false, value }
      const batch = await this.#batches.next()
      if (batch.done) return { done: true, value: undefined }
      this.#batch = batch.value
      this.#index = 0
    }
  }

  #take(): R | undefined {
    const row = this.#batch[this.#index]
    this.#index += 1
    return row
  }
}
