import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { COMPLETION_SCRIPTS } from '../src/completion-scripts.ts'
import { idleProgram } from './idle-program.ts'
import { endOf, runHere, startChild } from './run-command.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  for (const [shell, script] of Object.entries(COMPLETION_SCRIPTS)) {
    writeFileSync(join(folder, `counterfoil.${shell}`), script(idleProgram()))
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Completes the last word of a line in bash. */
function completeInBash(line: string): readonly string[] {
  const ask = `source counterfoil.bash
    COMP_WORDS=($0); [[ $0 == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _counterfoil; echo "\${COMPREPLY[@]}"`
  const printed = execFileSync('bash', ['-c', ask, line], { cwd: folder, encoding: 'utf8' })
  return printed.trim().split(' ')
}

/** Completes the last word of a line in fish. */
function completeInFish(line: string): readonly string[] {
  const ask = `source counterfoil.fish; complete -C '${line}'`
  const printed = execFileSync('fish', ['--no-config', '-c', ask], {
    cwd: folder,
    encoding: 'utf8',
  })
  return printed
    .trim()
    .split('\n')
    .map((suggested) => suggested.split('\t')[0] ?? '')
}

const isInstalled = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0

const LINES: readonly (readonly [line: string, words: readonly string[]])[] = [
  ['counterfoil rep', ['report', 'reports']],
  ['counterfoil report --fo', ['--for-excel', '--format']],
  ['counterfoil call pay', ['payout']],
  ['counterfoil call payout --account-n', ['--account-name', '--account-number']],
  ['counterfoil --login x report --json --ov', ['--overwrite']],
  ['counterfoil completion z', ['zsh']],
]

test.each(LINES)('bash completes "%s" to %j', (line, words) => {
  expect(completeInBash(line).toSorted()).toEqual(words)
})

test('bash offers files where a file is expected', () => {
  expect(completeInBash('counterfoil report --output co')).toEqual([''])
})

test.skipIf(!isInstalled('fish')).each(LINES)('fish completes "%s" to %j', (line, words) => {
  expect(completeInFish(line).toSorted()).toEqual(words)
})

test.skipIf(!isInstalled('zsh'))('zsh reads the script', () => {
  const { status, stderr } = spawnSync('zsh', ['-n', join(folder, 'counterfoil.zsh')])
  expect({ status, stderr: String(stderr) }).toEqual({ status: 0, stderr: '' })
})

function commandsOf(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(commandsOf)]
}

test.each(Object.entries(COMPLETION_SCRIPTS))(
  'the script for %s knows every command and every option',
  (shell, write) => {
    const script = write(idleProgram())
    for (const command of commandsOf(idleProgram())) {
      expect(script).toContain(command.name())
      for (const { long } of command.options.filter(({ hidden }) => !hidden)) {
        expect(script).toContain(shell === 'fish' ? `-l ${long?.slice(2)} ` : long)
      }
    }
  },
)

test('a process prints the script, and refuses another shell', async () => {
  const printed = await endOf(startChild(['completion', 'zsh'], { folder }))
  expect(printed).toEqual({ code: 0, stdout: COMPLETION_SCRIPTS.zsh(idleProgram()), stderr: '' })
  expect(await runHere(['completion', 'csh'], { folder })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Allowed choices are bash, zsh, fish'),
  })
})
