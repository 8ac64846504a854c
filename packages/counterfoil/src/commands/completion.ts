import { Argument, type Command } from 'commander'
import { COMPLETION_SCRIPTS, type Shell } from '../completion-scripts.ts'
import type { ProgramDependencies } from '../dependencies.ts'

const NOTES = `
Examples:
  counterfoil completion bash >> ~/.bashrc
  counterfoil completion zsh > "\${fpath[1]}/_counterfoil"
  counterfoil completion fish > ~/.config/fish/completions/counterfoil.fish

Then open a new terminal. The shell needs the command's name on its PATH.`

/** Adds `completion`. */
export function addCompletionCommand(program: Command, { stdout }: ProgramDependencies): void {
  program
    .command('completion')
    .summary("print a script that completes the command's words")
    .description('Prints a script for your shell, which then completes commands and options.')
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(COMPLETION_SCRIPTS)))
    .addHelpText('after', NOTES)
    .action((shell: Shell) => {
      stdout.write(COMPLETION_SCRIPTS[shell](program))
    })
}
