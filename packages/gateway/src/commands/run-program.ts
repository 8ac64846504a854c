import { type Command, CommanderError } from 'commander'
import { GatewayError } from '../errors.ts'

// What commander itself ends with.
const CALLED_WRONGLY = 1

/**
 * Runs a program and gives its exit code: 0; 1 where it failed, with the message on stderr (of an error that is
 * not the gateway's own, the stack too); 2 where it was called wrongly, which commander has explained by then;
 * and what else a command ends with.
 */
export async function runProgram(program: Command, argv: readonly string[]): Promise<number> {
  throwInsteadOfExit(program)
  try {
    await program.parseAsync(argv)
    return 0
  } catch (error) {
    if (error instanceof CommanderError)
      return error.exitCode === CALLED_WRONGLY ? 2 : error.exitCode
    console.error(error instanceof GatewayError ? `error: ${error.message}` : error)
    return 1
  }
}

function throwInsteadOfExit(command: Command): void {
  command.exitOverride().showHelpAfterError('Add --help to see the options and an example.')
  for (const subcommand of command.commands) throwInsteadOfExit(subcommand)
}
