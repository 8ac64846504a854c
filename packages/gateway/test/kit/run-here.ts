import { type Mock, vi } from 'vitest'
import { createProgram, runProgram } from '../../src/commands/program.ts'

/** The exit code of a command, and what it printed. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs `counterfoil-gateway` in this process, for tests that need neither signals nor an environment.
 *
 * @param args the first one may be some words with spaces between them
 */
export async function runHere(...args: readonly string[]): Promise<Ended> {
  const [words = '', ...others] = args
  const printed = { stdout: '', stderr: '' }
  const spies: Mock[] = []
  for (const [stream, method] of [
    ['stdout', 'log'],
    ['stderr', 'error'],
  ] as const) {
    const print = (text: unknown): boolean => {
      printed[stream] += String(text)
      return true
    }
    spies.push(vi.spyOn(console, method).mockImplementation((line) => void print(`${line}\n`)))
    spies.push(vi.spyOn(process[stream], 'write').mockImplementation(print))
  }
  try {
    const code = await runProgram(createProgram(), [
      'node',
      'main.ts',
      ...words.split(' '),
      ...others,
    ])
    return { code, ...printed }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
