import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHILD_ENV, MAIN, runHere } from './run-command.ts'

let folder = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  const command = `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`
  writeFileSync(join(folder, 'counterfoil'), command, { mode: 0o700 })
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { stdout } = await runHere(['completion', shell], { folder })
    writeFileSync(join(folder, `completion.${shell}`), stdout)
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

function run(command: string, ...args: readonly string[]): string {
  const env = { ...CHILD_ENV, PATH: `${folder}:${process.env['PATH']}` }
  return execFileSync(command, args, { cwd: folder, encoding: 'utf8', env }).trim()
}

/** Completes the last word of a line in bash. */
function completeInBash(line: string): readonly string[] {
  const ask = `source completion.bash
    COMP_WORDS=($0); [[ $0 == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _counterfoil; echo "\${COMPREPLY[@]}"`
  return run('bash', '--norc', '-c', ask, line).split(' ')
}

/** Completes the last word of a line in fish. */
function completeInFish(line: string): readonly string[] {
  const printed = run('fish', '--no-config', '-c', `source completion.fish; complete -C '${line}'`)
  return printed.split('\n').map((suggested) => suggested.split('\t')[0] ?? '')
}

const isInstalled = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0

const LINES: readonly (readonly [line: string, words: readonly string[]])[] = [
  ['counterfoil rep', ['report', 'reports']],
  ['counterfoil report --fo', ['--for-excel', '--format']],
  ['counterfoil call payout --account-n', ['--account-name', '--account-number']],
  ['counterfoil report --json x --ov', ['--overwrite']],
  ['counterfoil completion z', ['zsh']],
]

test.each(LINES)('bash completes "%s" to %j', (line, words) => {
  expect(completeInBash(line).toSorted()).toEqual(words)
})

test.skipIf(!isInstalled('fish')).each(LINES)('fish completes "%s" to %j', (line, words) => {
  expect(completeInFish(line).toSorted()).toEqual(words)
})

test.skipIf(!isInstalled('zsh'))('zsh reads the script', () => {
  expect(run('zsh', '-n', join(folder, 'completion.zsh'))).toBe('')
})

test('describes the words for the shells that show descriptions', async () => {
  const asked = ['--', 'call', 'pay']
  expect((await runHere(['completion', 'zsh', ...asked], { folder })).stdout).toMatch(/^payout:pay/)
  expect((await runHere(['completion', 'fish', ...asked], { folder })).stdout).toMatch(
    /^payout\tpay/,
  )
})

test.each([
  [['report', '--output', 'co']],
  [['report', '--parameter', 'dateFrom=']],
  [['verify', 'ma']],
])('leaves %j to the shell, which offers files', async (words) => {
  expect(await runHere(['completion', 'bash', '--', ...words], { folder })).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  })
})

test('refuses another shell', async () => {
  expect(await runHere(['completion', 'csh'], { folder })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Allowed choices are bash, zsh, fish'),
  })
})
