import { afterAll, describe } from 'vitest'
import { READABLE, startClickHouse } from '../../test/kit/clickhouse-server.ts'
import { CLUSTER_OPTIONS } from '../../test/kit/cluster-kit.ts'
import { describeEngine } from '../../test/kit/engine-contract.ts'
import { openClusterEngine } from './cluster.ts'

const server = await startClickHouse(READABLE)
afterAll(() => server.remove())

describe('the cluster engine', () => {
  describeEngine((options) =>
    openClusterEngine({ ...CLUSTER_OPTIONS, ...options, urls: [server.url] }),
  )
})
