// `npm run release` checks that the repository is ready for a release, runs every test, packs the packages into
// `var/release`, and prints the command that publishes them. It never publishes.

import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import manifest from '../package.json' with { type: 'json' }
import { packPackages } from './pack.ts'

const ROOT = join(import.meta.dirname, '..')
const { version } = manifest

process.chdir(ROOT)
const faults = findFaults()
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exit(1)

const tests = spawnSync(process.execPath, ['scripts/test.ts', '--all'], { stdio: 'inherit' })
if (tests.status !== 0) process.exit(1)
const tarballs = packPackages(join(ROOT, 'var/release')).map(({ tarball }) => tarball)

console.log(
  `\nVersion ${version} is packed. Nothing is published yet. To publish, log in to npm and run:\n`,
)
for (const tarball of tarballs) {
  console.log(`  npm publish --access public ${relative(ROOT, tarball)}`)
}
console.log(`  git tag v${version} && git push origin v${version}`)

/** What has to change before this version can be released. */
function findFaults(): readonly string[] {
  const changes = execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' })
  const headings = readFileSync('CHANGELOG.md', 'utf8').match(/^## \[.*\] - \d{4}-\d\d-\d\d$/gm)
  const hasDate = headings?.some((heading) => heading.startsWith(`## [${version}] `)) ?? false
  const tag = execFileSync('git', ['tag', '--list', `v${version}`], { encoding: 'utf8' })
  return [
    ...(changes ? [`Commit these changes first:\n${changes.trimEnd()}`] : []),
    ...(tag ? [`The tag v${version} exists. Set the next version in every package.json.`] : []),
    ...(hasDate
      ? []
      : [`CHANGELOG.md: expected the heading "## [${version}] - " with the date of the release.`]),
  ]
}
