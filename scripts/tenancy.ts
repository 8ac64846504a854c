// `npm run tenancy [-- CASES]`: the test of tenancy with more requests, 5,000 unless told, and other ones each time.

import { runVitest } from './run-vitest.ts'

const [cases = '5000'] = process.argv.slice(2)
process.env.TENANCY_CASES = cases
process.env.TENANCY_SEED ??= String(Date.now() % 2 ** 31)
console.log(`${cases} requests, TENANCY_SEED=${process.env.TENANCY_SEED}`)

const { passed, failed, output } = await runVitest(process.execPath, [
  '--project',
  'gateway',
  'packages/gateway/test/tenancy.test.ts',
])
if (failed > 0) {
  console.log(output)
  process.exitCode = 1
}
console.log(`${passed} passed, ${failed} failed`)
