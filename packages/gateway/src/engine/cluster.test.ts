import { afterAll, describe } from 'vitest'
import { READABLE, startClickHouse, USER } from '../../test/kit/clickhouse-server.ts'
import { describeEngine } from '../../test/kit/engine-contract.ts'
import { openClusterEngine } from './cluster.ts'

const OPTIONS = {
  login: USER,
  sessions: 1,
  queueLength: 8,
  queueWaitMs: 60_000,
  querySeconds: 20,
  queryBytesMax: 256 * 1024 ** 2,
  engineBytesMax: 1024 ** 3,
  reportColumns: READABLE,
}

const server = await startClickHouse(READABLE)
afterAll(() => server.remove())

describe('the cluster engine', () => {
  describeEngine((options) => openClusterEngine({ ...OPTIONS, ...options, urls: [server.url] }))
})
