import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import type { PackedPackage } from '../../scripts/pack.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Folders with packages of their own, which `npm ci` of the repository does not install. */
export const TOOLS = {
  node22: join(ROOT, 'scripts/node-22'),
  packageChecks: join(ROOT, 'scripts/package-checks'),
}

/** The programs that run TypeScript with installed packages, each with its arguments before the file. */
export const RUNTIMES: readonly (readonly [name: string, command: readonly string[]])[] = [
  ['Node 24', [process.execPath]],
  ['Node 22', [bin(TOOLS.node22, 'node')]],
  ['Bun', [bin(TOOLS.packageChecks, 'bun'), '--no-install']],
  ['Deno', [bin(TOOLS.packageChecks, 'deno'), 'run', '--allow-all', '--no-remote']],
]

/** Installs the tools of {@link TOOLS}. */
export function installTools(): void {
  for (const folder of Object.values(TOOLS)) {
    execFileSync(process.execPath, [join(ROOT, 'scripts/install.js'), folder], { stdio: 'ignore' })
  }
}

/** The path of a command in the `node_modules` of a folder. */
export function bin(folder: string, name: string): string {
  return join(folder, 'node_modules/.bin', name)
}

/**
 * Installs packed packages into a new folder, as their users do. Their dependencies come from npm's cache or from the
 * registry that npm is configured with.
 */
export function installPackages(folder: string, packages: readonly PackedPackage[]): void {
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
  const tarballs = packages.map(({ tarball }) => tarball)
  const npm = spawnSync('npm', ['install', ...options, ...tarballs], { ...inFolder(folder) })
  if (npm.status === 0) return
  const names = packages.map(({ name }) => name).join(', ')
  throw new Error(
    `npm could not install ${names}. This test needs their dependencies from npm's cache or its registry.\n${npm.stderr}`,
  )
}

/** The options of a process that runs in `folder` with the repository's Node. */
export function inFolder(folder: string, env: NodeJS.ProcessEnv = {}) {
  const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter)
  // The cache of compiled sources has no part in what users do.
  const { NODE_COMPILE_CACHE: _, UV_THREADPOOL_SIZE: __, ...inherited } = process.env
  return { cwd: folder, encoding: 'utf8', env: { ...inherited, PATH, ...env } } as const
}
