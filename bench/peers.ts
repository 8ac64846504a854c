import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, 'peers')

/** Installs the libraries that the bench compares with. They are no workspace, so that nobody else installs them. */
export function installPeers(): void {
  spawnSync('node', ['scripts/install.js', FOLDER], { stdio: 'inherit' })
}

/** Loads one of these libraries. */
export const requirePeer = createRequire(join(FOLDER, 'package.json'))
