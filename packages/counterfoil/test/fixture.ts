import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { CONTROL_KEY, LOGIN } from '../../client/test/fixture-gateway.ts'

/** The folder of the test that runs. It is empty before each test of a file that calls {@link useFolder}. */
export let folder = ''

/** Gives each test of a file a folder of its own. */
export function useFolder(): void {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'counterfoil-'))
  })
  afterEach(() => rm(folder, { recursive: true }))
}

/** The environment of the fixture's merchant. */
export function merchantEnv({ endpoint }: { readonly endpoint: string }): NodeJS.ProcessEnv {
  return {
    COUNTERFOIL_ENDPOINT: endpoint,
    COUNTERFOIL_LOGIN: LOGIN,
    COUNTERFOIL_CONTROL_KEY: CONTROL_KEY,
  }
}
