// Runs the suite of the client in Node, Bun or Deno, and prints its results.

import { checkFaults, checkGateway } from './client-suite.ts'

const { ENDPOINT: endpoint = '', LOGIN: login = '', CONTROL_KEY: controlKey = '' } = process.env
const check = process.env['SUITE'] === 'faults' ? checkFaults : checkGateway
console.log(JSON.stringify(await check({ endpoint, login, controlKey })))
