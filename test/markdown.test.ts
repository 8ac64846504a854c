import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryFiles } from '../scripts/repository-files.ts'

const ROOT = join(import.meta.dirname, '..')
const PROSE_COLUMNS_MAX = 120
const FENCE = /^\s*(?:```|~~~)/
const CONFLICT = /^(?:[<>|]{7}(?: .*)?|={7})$/m

const TEXTS = '**/*.{ts,tsx,js,mjs,json,md,yaml,yml,css,html,svg,xml,conf,service}'
const texts = repositoryFiles(ROOT, TEXTS)
const documents = repositoryFiles(ROOT, '**/*.md')

test('no file has the mark of a conflict', () => {
  expect(texts.length).toBeGreaterThan(500)
  expect(texts.filter((file) => CONFLICT.test(read(file)))).toEqual([])
})

test('no table is cut: each has a head, and as many cells in every row', () => {
  expect(documents.flatMap((file) => faultsOf(file, cutTables))).toEqual([])
})

test(`no line of prose is longer than ${PROSE_COLUMNS_MAX} columns`, () => {
  expect(documents.flatMap((file) => faultsOf(file, longLines))).toEqual([])
})

/** Returns the places of a page's faults, as an editor opens them. */
function faultsOf(file: string, find: (lines: readonly string[]) => readonly number[]): string[] {
  return find(read(file).split('\n')).map((line) => `${file}:${line}`)
}

/** Returns the numbers of the lines at which a table is cut. */
function cutTables(lines: readonly string[]): readonly number[] {
  const isRow = (line: string): boolean => line.startsWith('|')
  return outsideCode(lines).flatMap((line, at, all) => {
    const before = all[at - 1] ?? ''
    if (!isRow(line))
      return isRow(before) && line !== '' && !line.startsWith('<!--') ? [at + 1] : []
    const head = all.findLastIndex((other, place) => place < at && !isRow(other)) + 1
    const isCut =
      !line.endsWith('|') ||
      cellsOf(line) !== cellsOf(all[head] ?? '') ||
      (at === head && !/^\|(?:[ :-]+\|)+$/.test(all[at + 1] ?? '')) ||
      (at === head && before !== '' && !before.startsWith('<!--'))
    return isCut ? [at + 1] : []
  })
}

function cellsOf(row: string): number {
  return row.replaceAll('\\|', '').split('|').length
}

function longLines(lines: readonly string[]): readonly number[] {
  return outsideCode(lines).flatMap((line, at) => {
    const isProse = !line.startsWith('|') && !line.startsWith('![')
    return isProse && line.length > PROSE_COLUMNS_MAX ? [at + 1] : []
  })
}

/** Returns the lines of a page with empty lines for those of code. */
function outsideCode(lines: readonly string[]): readonly string[] {
  let isCode = false
  return lines.map((line) => {
    const isFence = FENCE.test(line)
    if (isFence) isCode = !isCode
    return isCode || isFence ? '' : line
  })
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}
