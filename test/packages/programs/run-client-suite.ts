// Runs the suite of the client in Node, Bun or Deno, and prints its results.

import { CounterfoilClient, CounterfoilError } from '@counterfoil/client'
import { checkFaults, checkGateway } from './client-suite.ts'

const { ENDPOINT: endpoint = '', LOGIN: login = '', CONTROL_KEY: controlKey = '' } = process.env
const settings = { endpoint, login, controlKey }
const isFaulty = process.env['SUITE'] === 'faults'
const results = await (isFaulty ? checkFaults(settings) : checkGateway(settings))
if (isFaulty) {
  const saving = new CounterfoilClient(settings).download('is-cut', {}, 'is-cut.csv')
  const error: unknown = await saving.catch((cause: unknown) => cause)
  results['is not saved'] = error instanceof CounterfoilError ? error.code : 'saved'
}
console.log(JSON.stringify(results))
