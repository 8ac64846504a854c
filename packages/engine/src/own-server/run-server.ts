import { writeFileSync } from 'node:fs'
import { resolveLibchdb } from 'chdb/libchdb'
import { DataType, load, open } from 'ffi-rs'

// The program of `OwnServer`: runs the ClickHouse of chdb's library as a server, until its parent ends.

// Aborts also when the parent is killed. The ledger survives `kill -9`.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
if (!process.connected) process.kill(process.pid, 'SIGKILL')

// A service manager signals every process of a service. The parent ends this one when its reports are done.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})

// If the machine runs out of memory, Linux ends this process before the gateway. Other systems have no such file.
try {
  writeFileSync('/proc/self/oom_score_adj', '500')
} catch {}

const args = ['clickhouse', ...process.argv.slice(2)]
open({ library: 'chdb', path: resolveLibchdb().path })
// `runInNewThread` makes it a promise, whatever its type says.
await load({
  library: 'chdb',
  funcName: 'chdb_query_cmdline',
  retType: DataType.External,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [args.length, args],
  runInNewThread: true,
})
process.exit(1)
