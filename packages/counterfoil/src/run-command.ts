import { type Command, CommanderError } from 'commander'
import { createProgram } from './create-program.ts'
import type { Dependencies } from './dependencies.ts'
import { EXIT_CODES } from './exit-codes.ts'

/** Runs a command line of `counterfoil` (`process.argv`) and returns the exit code. */
export async function runCommand(
  argv: readonly string[],
  dependencies: Dependencies,
): Promise<number> {
  let exitCode: number = EXIT_CODES.done
  const end = (code: number) => {
    exitCode = code
  }
  try {
    const program = createProgram({ ...dependencies, end })
    await program.parseAsync(namesUnknown(program, argv) ? argv.filter(isNoHelp) : argv)
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage
  }
}

/** Whether a command line names a command that does not exist. Commander would ignore its name beside `--help`. */
function namesUnknown(program: Command, argv: readonly string[]): boolean {
  let command: Command | undefined = program
  for (const word of argv.slice(2)) {
    if (command.commands.length === 0) return false
    if (word.startsWith('-')) continue
    command = command.commands.find((child) => child.name() === word)
    if (!command) return true
  }
  return false
}

function isNoHelp(word: string): boolean {
  return word !== '--help' && word !== '-h'
}
