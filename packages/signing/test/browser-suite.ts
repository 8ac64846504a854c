// Replaces vitest in a page: the same `expect`, and tests that are collected first and run later.

/** @public */
export { expect } from 'vitest'

interface CollectedTest {
  readonly name: string
  readonly run: () => unknown
}

/** The result of one test in the page. */
export interface BrowserResult {
  readonly name: string
  /** The message and stack of the error; undefined if the test passed. */
  readonly error: string | undefined
}

const tests: CollectedTest[] = []
const titles: string[] = []

/** @public */
export function describe(title: string, collect: () => void): void {
  titles.push(title)
  collect()
  titles.pop()
}

/** @public */
export function it(title: string, run: () => unknown): void {
  tests.push({ name: [...titles, title].join(' > '), run })
}

/**
 * Runs the collected tests one after the other.
 *
 * @public
 */
export async function runCollected(): Promise<BrowserResult[]> {
  const results: BrowserResult[] = []
  for (const { name, run } of tests) {
    results.push({ name, error: await failureOf(run) })
  }
  return results
}

async function failureOf(run: () => unknown): Promise<string | undefined> {
  try {
    await run()
    return undefined
  } catch (error) {
    return error instanceof Error ? `${error.message}\n${error.stack}` : String(error)
  }
}
