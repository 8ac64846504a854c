// `npm run pack [-- FOLDER]` builds the packages and packs each into a tarball, as `npm publish` sends it. The folder
// is `var/packages` by default. Node strips no types below `node_modules`, so published packages hold JavaScript. The
// manifests in the repository name the sources, and a packed manifest names `./dist/*.js` instead.

import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import * as z from 'zod'

/** A packed package. */
export interface PackedPackage {
  readonly name: string
  readonly version: string
  /** The path of its tarball. */
  readonly tarball: string
}

const ROOT = join(import.meta.dirname, '..')
const BUILD_CONSOLE = join(ROOT, 'scripts/build-console.ts')
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')

/** What a package may have beside its code. The gateway's `reports` is a link to the repository's folder. */
const EXTRAS = ['README.md', 'reports', 'static']

const packedSchema = z.tuple([
  z.object({ name: z.string(), version: z.string(), filename: z.string() }),
])

/** Builds all packages and packs them into `folder`. */
export function packPackages(folder: string): readonly PackedPackage[] {
  mkdirSync(folder, { recursive: true })
  const build = mkdtempSync(join(tmpdir(), 'counterfoil-build-'))
  try {
    execFileSync(process.execPath, [BUILD_CONSOLE], { stdio: 'inherit' })
    const options = ['--project', join(ROOT, 'tsconfig.build.json'), '--outDir', build]
    execFileSync(process.execPath, [TSC, ...options], { stdio: ['ignore', 'inherit', 'inherit'] })
    return readdirSync(join(ROOT, 'packages')).map((name) => {
      const stage = join(build, name)
      completeStage(join(ROOT, 'packages', name), stage)
      return packStage(stage, folder)
    })
  } finally {
    rmSync(build, { recursive: true })
  }
}

/** Completes a folder of compiled code, so that it holds what is published of the package in `source`. */
function completeStage(source: string, stage: string): void {
  renameSync(join(stage, 'src'), join(stage, 'dist'))
  const manifest = readFileSync(join(source, 'package.json'), 'utf8')
  // The compiled file stands in place of each source.
  const published = manifest.replaceAll(/"\.\/src\/([^"]+)\.ts"/g, '"./dist/$1.js"')
  writeFileSync(join(stage, 'package.json'), published)
  cpSync(join(ROOT, 'LICENSE'), join(stage, 'LICENSE'))
  for (const name of EXTRAS.filter((extra) => existsSync(join(source, extra)))) {
    cpSync(join(source, name), join(stage, name), { recursive: true, dereference: true })
  }
}

function packStage(stage: string, folder: string): PackedPackage {
  const options = ['--pack-destination', folder, '--ignore-scripts', '--json', '--loglevel=error']
  const output = execFileSync('npm', ['pack', stage, ...options], { encoding: 'utf8' })
  const [{ name, version, filename }] = packedSchema.parse(JSON.parse(output))
  return { name, version, tarball: join(folder, filename) }
}

if (import.meta.main) {
  const folder = resolve(process.argv[2] ?? join(ROOT, 'var/packages'))
  for (const { tarball } of packPackages(folder)) console.log(tarball)
}
