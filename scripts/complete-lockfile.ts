// Completes package-lock.json after `npm install` on a registry that lacks packages for other platforms. npm omits them
// from the file, and `npm ci` then refuses the file on every machine. The added packages have no hash. npm adds the
// hash where the package is available.
//
//   node scripts/complete-lockfile.ts [FOLDER]    completes the file of FOLDER (default: this repository)

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The entry of one installed folder in package-lock.json. */
interface LockedPackage {
  readonly version?: string
  readonly resolved?: string
  readonly dev?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** The file package-lock.json, version 3: the entry of each folder. */
export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

/** The platform in the name of a package, such as `@swc/core-linux-arm-gnueabihf`. */
const OS = /\b(?:aix|android|darwin|freebsd|linux|openharmony|win32)\b/
const CPU = /\b(?:arm|arm64|ia32|loong64|ppc64|s390x|riscv64|x64)\b/
const LIBC = /\b(?:gnu|musl)/

/** The optional packages that `lockfile` refers to and does not contain, by their folder. */
export function missingPackages({ packages }: Lockfile): Record<string, LockedPackage> {
  const folders = Object.keys(packages)
  const missing: Record<string, LockedPackage> = {}
  for (const { dev, optionalDependencies = {} } of Object.values(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const folder = `node_modules/${name}`
      if (folders.some((key) => key === folder || key.endsWith(`/${folder}`))) continue
      missing[folder] = { version, ...(dev && { dev }), ...platformOf(name) }
    }
  }
  return missing
}

function platformOf(name: string) {
  const [[os], [cpu], [libc]] = [OS.exec(name) ?? [], CPU.exec(name) ?? [], LIBC.exec(name) ?? []]
  if (!os || !cpu) throw new Error(`expected a name with one system and one processor: ${name}`)
  const libcs = libc && os === 'linux' ? { libc: [libc === 'gnu' ? 'glibc' : libc] } : {}
  return { optional: true, os: [os], cpu: [cpu], ...libcs }
}

if (import.meta.main) {
  const file = join(process.argv[2] ?? join(import.meta.dirname, '..'), 'package-lock.json')
  const lockfile = JSON.parse(readFileSync(file, 'utf8')) as Lockfile
  const missing = missingPackages(lockfile)
  const packages = Object.entries({ ...lockfile.packages, ...missing })
  packages.sort(([one], [other]) => one.localeCompare(other, 'en'))
  const complete = { ...lockfile, packages: Object.fromEntries(packages) }
  writeFileSync(file, `${JSON.stringify(complete, undefined, 2)}\n`)
  for (const folder of Object.keys(missing)) console.log(`added ${folder}`)
}
