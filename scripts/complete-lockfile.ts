// Completes package-lock.json after `npm install` on a registry that lacks packages for other platforms. npm omits them
// from the file, and `npm ci` then refuses the file on every machine. The added packages have no hash. npm adds the
// hash where the package is available.
//
//   node scripts/complete-lockfile.ts [FOLDER]    completes the file of FOLDER (default: this repository)

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The entry of one installed folder in package-lock.json. */
export interface LockedPackage {
  readonly version?: string
  readonly resolved?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** The file package-lock.json, version 3: the entry of each folder. */
export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

const OS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32']
const CPU = ['arm', 'arm64', 'ia32', 'loong64', 'ppc64', 's390x', 'riscv64', 'x64']
const LIBC = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl', musleabihf: 'musl' }

/** The optional packages that `lockfile` refers to and does not contain, by their folder. */
export function missingPackages(lockfile: Lockfile): Record<string, LockedPackage> {
  const missing: Record<string, LockedPackage> = {}
  for (const locked of Object.values(lockfile.packages)) {
    for (const [name, version] of Object.entries(locked.optionalDependencies ?? {})) {
      if (isLocked(lockfile, name)) continue
      const dev = locked.dev ? { dev: true } : {}
      missing[`node_modules/${name}`] = { version, ...dev, optional: true, ...platformOf(name) }
    }
  }
  return missing
}

if (import.meta.main) {
  const file = join(process.argv[2] ?? join(import.meta.dirname, '..'), 'package-lock.json')
  const lockfile = JSON.parse(readFileSync(file, 'utf8')) as Lockfile
  const missing = missingPackages(lockfile)
  const packages = Object.entries({ ...lockfile.packages, ...missing }).toSorted(byFolder)
  const complete = { ...lockfile, packages: Object.fromEntries(packages) }
  writeFileSync(file, `${JSON.stringify(complete, undefined, 2)}\n`)
  for (const folder of Object.keys(missing)) console.log(`added ${folder}`)
}

function isLocked({ packages }: Lockfile, name: string): boolean {
  const folder = `node_modules/${name}`
  return Object.keys(packages).some((key) => key === folder || key.endsWith(`/${folder}`))
}

/** The platform at the end of a package's name: `@swc/core-linux-arm-gnueabihf`. */
function platformOf(name: string): Pick<LockedPackage, 'os' | 'cpu' | 'libc'> {
  const parts = name.split(/[-/]/)
  const os = OS.filter((part) => parts.includes(part))
  const cpu = CPU.filter((part) => parts.includes(part))
  const libc = Object.entries(LIBC).flatMap(([part, value]) => (parts.includes(part) ? value : []))
  if (os.length !== 1 || cpu.length !== 1) {
    throw new Error(`expected a name that ends in one system and one processor: ${name}`)
  }
  return { os, cpu, ...(os[0] === 'linux' && libc.length > 0 ? { libc } : {}) }
}

function byFolder([a]: [string, unknown], [b]: [string, unknown]): number {
  return a.localeCompare(b, 'en')
}
