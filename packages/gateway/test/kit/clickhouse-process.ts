import { DataType, load, open } from 'ffi-rs'
import { resolveLibchdb } from 'chdb/libchdb'

// The program of `startClickHouse`: runs the ClickHouse of chdb's library as a server, until it is killed.
const args = ['clickhouse', ...process.argv.slice(2)]
open({ library: 'chdb', path: resolveLibchdb().path })
load({
  library: 'chdb',
  funcName: 'chdb_query_cmdline',
  retType: DataType.External,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [args.length, args],
})
