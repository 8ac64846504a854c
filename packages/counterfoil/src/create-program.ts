import manifest from '../package.json' with { type: 'json' }
import { Command, CommanderError } from 'commander'
import { CONFORMANCE } from './commands/conformance.ts'
import { EXPLAIN } from './commands/explain.ts'
import { INIT } from './commands/init.ts'
import { RECONCILE } from './commands/reconcile.ts'
import { REPORT } from './commands/report.ts'
import { REPORTS } from './commands/reports.ts'
import { MANIFEST, RUNS } from './commands/runs.ts'
import { SIGN } from './commands/sign.ts'
import { VERIFY } from './commands/verify.ts'
import {
  type CommandDescription,
  type Dependencies,
  EXIT_CODES,
  Interrupted,
  UsageError,
} from './command.ts'
import { describeUsage } from './print/end-with-error.ts'

const PROGRAM_EXAMPLE = `
Examples:
  counterfoil init
  counterfoil reports
  counterfoil report transactions-list --from 2026-05-01 -o may.csv`

/** Describes the command line. It prints commander's errors and throws them, and never ends the process. */
export function createProgram(
  dependencies: Dependencies,
  end: (exitCode: number) => void,
): Command {
  const { stdout, stderr } = dependencies
  const program = new Command('counterfoil')
    // Commander would not wrap a description beside a long option.
    .configureHelp({ minWidthToWrap: 20, subcommandTerm: (command) => command.name() })
    .description('Requests reports from a gateway. A report arrives complete, or not at all.')
    .version(manifest.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', PROGRAM_EXAMPLE)
    .showHelpAfterError('See: counterfoil --help')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: (message, write) => write(describeUsage(message)),
    })
  const records = [RUNS, MANIFEST, VERIFY, RECONCILE]
  for (const command of [INIT, REPORTS, REPORT, ...records, SIGN, EXPLAIN, CONFORMANCE]) {
    addCommand<never>(program, dependencies, end, command)
  }
  return program
}

function addCommand<Options>(
  program: Command,
  dependencies: Dependencies,
  end: (exitCode: number) => void,
  { name, summary, description, argument, options, help, run }: CommandDescription<Options>,
): void {
  const command = program.command(name).summary(summary).description(description)
  command.showHelpAfterError(`See: counterfoil ${name} --help`)
  if (argument) command.argument(...argument)
  for (const option of options) command.addOption(option)
  command.addHelpText('after', help).action(async (...given) => {
    const [value, values] = argument ? given : [undefined, ...given]
    try {
      end(await run(values, dependencies, value))
    } catch (error) {
      if (error instanceof UsageError) command.error(error.message)
      if (!(error instanceof Interrupted)) throw error
      dependencies.stderr.write(`${`counterfoil: interrupted. ${error.message}`.trimEnd()}\n`)
      end(EXIT_CODES.interrupted)
    }
  })
}

/** Runs a command line of `counterfoil` (`process.argv`) and returns the exit code. */
export async function runCommand(
  argv: readonly string[],
  dependencies: Dependencies,
): Promise<number> {
  let exitCode: number = EXIT_CODES.done
  try {
    await createProgram(dependencies, (code) => (exitCode = code)).parseAsync(argv)
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage
  }
}
