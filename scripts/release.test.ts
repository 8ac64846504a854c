import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findReleaseFaults } from './release.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'release-'))
  git('init', '--quiet')
  commitChangelog('# Changelog\n\n## [1.2.3] - 2026-11-30\n\n## [1.2.2] - 2026-10-01\n')
})
afterEach(() => rmSync(folder, { recursive: true }))

function git(...args: readonly string[]): void {
  const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.com']
  execFileSync('git', [...author, ...args], { cwd: folder })
}

function commitChangelog(text: string): void {
  writeFileSync(join(folder, 'CHANGELOG.md'), text)
  git('add', '--all')
  git('commit', '--quiet', '--message', 'changelog')
}

test('accepts a version with a date in the changelog and without changes', () => {
  expect(findReleaseFaults(folder, '1.2.3')).toEqual([])
})

test('refuses a version without a date', () => {
  commitChangelog('# Changelog\n\n## [1.2.3] - Unreleased\n\n## [1.2.2] - 2026-10-01\n')
  expect(findReleaseFaults(folder, '1.2.3')).toEqual([
    'CHANGELOG.md: expected the heading "## [1.2.3] - " with the date of the release.',
  ])
})

test('refuses uncommitted changes', () => {
  writeFileSync(join(folder, 'new.ts'), '')
  expect(findReleaseFaults(folder, '1.2.3')).toEqual(['Commit these changes first:\n?? new.ts'])
})

test('refuses a version that has a tag', () => {
  git('tag', 'v1.2.3')
  expect(findReleaseFaults(folder, '1.2.3')).toEqual([
    'The tag v1.2.3 exists. Set the next version in every package.json.',
  ])
})
