import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe } from 'vitest'
import { READABLE, startClickHouse } from '../../../gateway/test/kit/clickhouse-server.ts'
import { CLUSTER_OPTIONS, serversAt } from '../../../gateway/test/kit/cluster-kit.ts'
import { describeEngine } from '../../test/engine-contract.ts'
import { openHttpEngine } from './http-engine.ts'
import { OwnServer } from '../own-server/own-server.ts'

describe("an operator's server", async () => {
  const server = await startClickHouse(READABLE)
  afterAll(() => server.remove())
  describeEngine((options) =>
    openHttpEngine({ ...CLUSTER_OPTIONS, ...options, servers: serversAt([server.url]) }),
  )
})

describe("the gateway's own server", async () => {
  const directory = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  const server = await OwnServer.open({
    directory,
    memoryMax: CLUSTER_OPTIONS.engineBytesMax,
    reportColumns: READABLE,
  })
  afterAll(async () => {
    await server.close()
    rmSync(directory, { recursive: true })
  })
  // The engines of the contract share the server.
  const { name, address } = server
  describeEngine((options) =>
    openHttpEngine({
      ...CLUSTER_OPTIONS,
      ...options,
      servers: [{ name, address, close: async () => {} }],
      ownFolder: directory,
    }),
  )
})
