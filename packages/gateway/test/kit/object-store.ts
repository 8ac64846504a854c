import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../../..')
const TOOL = join(ROOT, 'scripts/test-databases')

/** The key of the object store. */
export const OBJECT_STORE = { key: 'reports', secret: 'not/a+secret' } as const

/** An object store of a test file with an empty bucket `files`. It verifies signatures. */
export interface ObjectStore {
  /** `127.0.0.1:9000` */
  readonly host: string
  remove(): Promise<void>
}

const PROGRAM = `
const S3rver = require('@20minutes/s3rver')
const { DUMMY_ACCOUNT } = require('@20minutes/s3rver/lib/models/account')
DUMMY_ACCOUNT.createKeyPair('${OBJECT_STORE.key}', '${OBJECT_STORE.secret}')
new S3rver({
  port: 0, address: '127.0.0.1', silent: true, directory: process.argv[1], configureBuckets: [{ name: 'files' }],
}).run().then(({ port }) => console.log(port))`

/** Starts an object store in a new folder. */
export async function startObjectStore(): Promise<ObjectStore> {
  execFileSync(process.execPath, [join(ROOT, 'scripts/install.js'), TOOL], { stdio: 'ignore' })
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  const child = spawn(process.execPath, ['-e', PROGRAM, folder], {
    cwd: TOOL,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [port] = await once(child.stdout, 'data')
  return {
    host: `127.0.0.1:${String(port).trim()}`,
    remove: async () => {
      const ended = once(child, 'exit')
      child.kill()
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}
