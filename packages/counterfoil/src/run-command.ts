import { CommanderError } from 'commander'
import { type Actions, createProgram } from './create-program.ts'
import { runCall } from './run-call.ts'
import { runReport } from './run-report.ts'
import { EXIT_CODES, type Dependencies } from './dependencies.ts'

/** Runs a command line of `counterfoil` (`process.argv`) and returns the exit code. */
export async function runCommand(
  argv: readonly string[],
  dependencies: Dependencies,
): Promise<number> {
  let exitCode: number = EXIT_CODES.complete
  const actions: Actions = {
    report: async (identifier, options) => {
      exitCode = await runReport(identifier, options, dependencies)
    },
    call: async (operation, options) => {
      exitCode = await runCall(operation, options, dependencies)
    },
  }
  try {
    await createProgram(actions, dependencies).parseAsync(argv)
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? EXIT_CODES.complete : EXIT_CODES.usage
  }
}
