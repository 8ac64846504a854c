import { CONTROL_KEY, folder, LOGIN } from '../../client/test/fixture-gateway.ts'
import { type Ended, type Place, runHere } from './run-command.ts'

export { folder, useFolder } from '../../client/test/fixture-gateway.ts'

/** The environment of the fixture's merchant. */
export function merchantEnv({ endpoint }: { readonly endpoint: string }): NodeJS.ProcessEnv {
  return {
    COUNTERFOIL_ENDPOINT: endpoint,
    COUNTERFOIL_LOGIN: LOGIN,
    COUNTERFOIL_CONTROL_KEY: CONTROL_KEY,
  }
}

/** Runs `counterfoil` in the folder of the test. */
export async function run(
  args: readonly string[],
  place: Omit<Place, 'folder'> = {},
): Promise<Ended> {
  return await runHere(args, { folder, ...place })
}
