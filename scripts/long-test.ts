// `npm run tenancy [-- CASES]` and `npm run storm [-- QUERIES]` run a test for longer than the suite does.

import { runVitest } from './run-vitest.ts'

const TESTS = {
  tenancy: { file: 'report/tenancy', variable: 'TENANCY_CASES', times: '5000' },
  storm: { file: 'engine/engine-storm', variable: 'STORM_QUERIES', times: '10000' },
} as const

const [name, times] = process.argv.slice(2)
if (name !== 'tenancy' && name !== 'storm') {
  throw new Error(`expected one of ${Object.keys(TESTS).join(', ')}, got ${name}`)
}
const test = TESTS[name]
process.env[test.variable] = times ?? test.times
process.env.TENANCY_SEED ??= String(Date.now() % 2 ** 31)
console.log(`${test.variable}=${times ?? test.times} TENANCY_SEED=${process.env.TENANCY_SEED}`)

const { passed, failed, output } = await runVitest(process.execPath, [
  '--project',
  'gateway',
  `packages/gateway/test/${test.file}.test.ts`,
])
if (failed > 0) {
  console.log(output)
  process.exitCode = 1
}
console.log(`${passed} passed, ${failed} failed`)
