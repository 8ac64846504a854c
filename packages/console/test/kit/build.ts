import { buildConsole } from '../../../../scripts/build-console.ts'

/** Builds the page before the tests, unless it is up to date. */
export async function setup(): Promise<void> {
  await buildConsole()
}
