// Stands for vitest where the suite runs in a page: the same `expect`, and tests that are only collected.

/** @public */
export { expect } from 'vitest'

interface CollectedTest {
  readonly name: string
  readonly run: () => unknown
}

/** What became of one test in the page. */
export interface BrowserResult {
  readonly name: string
  /** The stack of what it threw; undefined where it passed. */
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
