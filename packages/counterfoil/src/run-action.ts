import type { Command } from 'commander'
import type { ProgramDependencies } from './dependencies.ts'
import { EXIT_CODES } from './exit-codes.ts'
import { Interrupted } from './interrupted.ts'
import { UsageError } from './usage-error.ts'

/**
 * Waits for the action of a command and passes its exit code on. Prints a `UsageError` as commander prints its own
 * errors.
 *
 * @example
 * command.action((options) => runAction(command, dependencies, runInit(options, dependencies)))
 */
export async function runAction(
  command: Command,
  { end, stderr }: ProgramDependencies,
  running: Promise<number>,
): Promise<void> {
  try {
    end(await running)
  } catch (error) {
    if (error instanceof UsageError) command.error(error.message)
    if (error instanceof Interrupted) {
      stderr.write('counterfoil: interrupted.\n')
      return end(EXIT_CODES.interrupted)
    }
    throw error
  }
}
