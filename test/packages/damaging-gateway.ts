import { createHash } from 'node:crypto'
import { formatReprDigest } from '@counterfoil/protocol'
import {
  beginReport,
  CONTROL_KEY,
  CSV,
  LOGIN,
  sendRecords,
  sendReport,
  startGateway,
} from '../../packages/client/test/fixture-gateway.ts'

/** The address and the login for a program. */
export interface Credentials extends NodeJS.ProcessEnv {
  readonly ENDPOINT: string
  readonly LOGIN: string
  readonly CONTROL_KEY: string
}

/**
 * Starts a fixture that damages reports by their identifiers, or never ends them. Its trailers and its manifest are
 * those of the whole report.
 */
export async function damagingGateway(): Promise<Credentials> {
  const sha256 = createHash('sha256').update(CSV).digest('base64')
  const digest = formatReprDigest(sha256)
  const { endpoint } = await startGateway(
    (response, { request }) => {
      const name = request?.reportIdentifier
      if (name === 'lacks-a-row') return sendReport(response, CSV.slice(0, -8), { digest })
      if (name === 'has-another-byte')
        return sendReport(response, CSV.replace('a', 'b'), { digest })
      beginReport(response)
      const isSilent = name === 'is-silent'
      response.write(CSV.slice(0, 20), () => isSilent || response.destroy())
    },
    undefined,
    sendRecords,
  )
  return { ENDPOINT: endpoint, LOGIN, CONTROL_KEY }
}
