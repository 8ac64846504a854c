// Completes package-lock.json after `npm install` on a registry that lacks packages for other
// platforms: npm leaves them out of the file, and `npm ci` then refuses it on every machine.
// What is added has no hash; npm writes that in where the package can be had.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What package-lock.json says about one installed folder. */
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

/** A file package-lock.json, of version 3: folders below it and what is installed in them. */
export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

const OS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32']
const CPU = ['arm', 'arm64', 'ia32', 'loong64', 'ppc64', 's390x', 'riscv64', 'x64']
const LIBC = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl', musleabihf: 'musl' }

/** The optional packages that `lockfile` speaks of and does not hold, by their folder. */
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
  const file = join(import.meta.dirname, '../package-lock.json')
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

/** The platform that a package's name ends in: `@swc/core-linux-arm-gnueabihf`. */
function platformOf(name: string): Pick<LockedPackage, 'os' | 'cpu' | 'libc'> {
  const words = name.split(/[-/]/)
  const os = OS.filter((word) => words.includes(word))
  const cpu = CPU.filter((word) => words.includes(word))
  const libc = Object.entries(LIBC).flatMap(([word, value]) => (words.includes(word) ? value : []))
  if (os.length !== 1 || cpu.length !== 1) {
    throw new Error(`expected a name that ends in one system and one processor: ${name}`)
  }
  return { os, cpu, ...(os[0] === 'linux' && libc.length > 0 ? { libc } : {}) }
}

function byFolder([a]: [string, unknown], [b]: [string, unknown]): number {
  return a.localeCompare(b, 'en')
}
