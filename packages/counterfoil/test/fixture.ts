import { CONTROL_KEY, LOGIN } from '../../client/test/fixture-gateway.ts'

export { folder, useFolder } from '../../client/test/fixture-gateway.ts'

/** The environment of the fixture's merchant. */
export function merchantEnv({ endpoint }: { readonly endpoint: string }): NodeJS.ProcessEnv {
  return {
    COUNTERFOIL_ENDPOINT: endpoint,
    COUNTERFOIL_LOGIN: LOGIN,
    COUNTERFOIL_CONTROL_KEY: CONTROL_KEY,
  }
}
