// `npm run release` checks that the repository is ready for a release, runs every test, packs the packages into
// `var/release`, and prints the commands that publish them. It never publishes.

import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../package.json' with { type: 'json' }
import { packPackages } from './pack.ts'

/** Finds what has to change in the repository at `root` before a version can be released, a line for each. */
export function findReleaseFaults(root: string, version: string): readonly string[] {
  const git = (...args: readonly string[]) => {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trimEnd()
  }
  const changes = git('status', '--porcelain')
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const headings = changelog.match(/^## \[.*\] - \d{4}-\d\d-\d\d$/gm) ?? []
  const heading = `## [${version}] - `
  return [
    ...(changes ? [`Commit these changes first:\n${changes}`] : []),
    ...(git('tag', '--list', `v${version}`)
      ? [`The tag v${version} exists. Set the next version in every package.json.`]
      : []),
    ...(headings.some((line) => line.startsWith(heading))
      ? []
      : [`CHANGELOG.md: expected the heading "${heading}" with the date of the release.`]),
  ]
}

if (import.meta.main) {
  const { version } = manifest
  process.chdir(join(import.meta.dirname, '..'))
  const faults = findReleaseFaults('.', version)
  for (const fault of faults) console.error(fault)
  if (faults.length > 0) process.exit(1)

  const tests = spawnSync(process.execPath, ['scripts/test.ts', '--all'], { stdio: 'inherit' })
  if (tests.status !== 0) process.exit(1)

  const packed = packPackages('var/release')
  console.log(
    `\nVersion ${version} is packed and not published. To publish, log in to npm and run:\n`,
  )
  for (const { tarball } of packed) console.log(`  npm publish --access public ./${tarball}`)
  console.log(`  git tag v${version} && git push origin v${version}`)
}
