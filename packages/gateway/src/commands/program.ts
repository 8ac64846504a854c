import { Command, CommanderError } from 'commander'
import { GatewayError, isProblemCode } from '@counterfoil/common'
import manifest from '../../package.json' with { type: 'json' }
import { BACKUP } from './backup.ts'
import { CONSOLE } from './console.ts'
import { STORE } from './copy.ts'
import { DEMO } from './demo.ts'
import { IMPORT, TRY } from './import.ts'
import { INIT } from './init.ts'
import { KEYS } from './keys.ts'
import { GENERATE, LEDGER, VERIFY_LEDGER } from './ledger.ts'
import { LOGINS } from './logins.ts'
import { CHECK, REPORTS } from './reports.ts'
import { EXPLAIN, RELOAD } from './running-gateway.ts'
import { SERVE } from './serve.ts'
import { STATUS } from './status.ts'
import { SYNC } from './sync.ts'

const COMMANDS = [
  [DEMO, SERVE, STATUS, RELOAD, EXPLAIN],
  [CHECK, REPORTS],
  [LOGINS, KEYS, CONSOLE],
  [STORE, LEDGER],
  [INIT, IMPORT, TRY, SYNC, VERIFY_LEDGER, GENERATE, BACKUP],
].flat()

export function createProgram(): Command {
  const program = new Command('counterfoil-gateway')
    .description('Serves reports about payment transactions to merchants.')
    .version(manifest.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText(
      'after',
      `
Examples:
  counterfoil-gateway demo
  counterfoil-gateway serve --config gateway.yaml
  counterfoil-gateway logins add --help`,
    )
    .exitOverride()
    .showHelpAfterError('Add --help to see the options and an example.')
  for (const described of COMMANDS) described.add(program)
  return program
}

// Commander's own exit code for a wrong command line.
const USAGE_ERROR = 1

/**
 * Runs a program and returns its exit code. 0 means done. 1 means failed, with the message on stderr, and also the
 * stack if the error is not the gateway's own. 2 means a wrong command line, which commander has explained. A command
 * may end with other codes.
 */
export async function runProgram(program: Command, argv: readonly string[]): Promise<number> {
  try {
    await program.parseAsync(argv)
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === USAGE_ERROR ? 2 : error.exitCode
    console.error(error instanceof GatewayError ? `error: ${describe(error)}` : error)
    return 1
  }
}

/** The message of a problem is for callers, who get no cause. An operator needs the cause. */
function describe({ code, message, cause }: GatewayError): string {
  if (!isProblemCode(code) || !(cause instanceof Error) || cause.message === message) return message
  return `${message} Cause: ${cause.message}`
}
