import { createHash } from 'node:crypto'
import { saveInParts } from '../download/save-in-parts.ts'
import { saveReport } from '../download/save-report.ts'
import { createNodeTransport } from '../transport/node-transport.ts'
import type { Runtime } from './runtime.ts'

/** The runtime of Node, Bun and Deno: `node:http`, `node:crypto` and `node:fs`. */
export const runtime: Runtime = {
  createTransport: createNodeTransport,
  createSha256() {
    const hash = createHash('sha256')
    return { update: (bytes) => void hash.update(bytes), hex: () => hash.digest('hex') }
  },
  saveReport,
  saveInParts,
}
