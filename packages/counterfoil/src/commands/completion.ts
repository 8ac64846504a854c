import { Argument, type Command, type Option } from 'commander'
import type { ProgramDependencies } from '../dependencies.ts'

/** A word that may be next on a command line. */
interface Candidate {
  readonly word: string
  readonly about: string
}

/** How a shell asks this command for the next words, and how it reads them. Without any word, it offers files. */
interface Shell {
  readonly script: string
  readonly write: (candidate: Candidate) => string
}

const SHELLS: Readonly<Record<string, Shell>> = {
  bash: {
    script: `_counterfoil() {
  local IFS=$'\\n'
  COMPREPLY=($(counterfoil completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}"))
}
complete -o default -F _counterfoil counterfoil
`,
    write: ({ word }) => word,
  },
  zsh: {
    script: `#compdef counterfoil
_counterfoil() {
  local -a items=("\${(@f)$(counterfoil completion zsh -- "\${(@)words[2,CURRENT]}")}")
  if [[ -n $items ]]; then _describe word items; else _files; fi
}
compdef _counterfoil counterfoil
`,
    write: ({ word, about }) => `${word.replaceAll(':', '\\:')}:${about}`,
  },
  fish: {
    script: `function __counterfoil
    set -l items (counterfoil completion fish -- (commandline -opc)[2..] (commandline -ct))
    if test -n "$items"; printf '%s\\n' $items; else; __fish_complete_path (commandline -ct); end
end
complete -c counterfoil -f -a '(__counterfoil)'
`,
    write: ({ word, about }) => `${word}\t${about}`,
  },
}

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
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(SHELLS)))
    .argument('[word...]', 'a command line so far: prints the next words (the script asks so)')
    .addHelpText('after', NOTES)
    .action((shell: string, words: readonly string[]) => {
      const { script = '', write = String } = SHELLS[shell] ?? {}
      const next = completeWords(program, words).map((candidate) => `${write(candidate)}\n`)
      stdout.write(words.length === 0 ? script : next.join(''))
    })
}

/** Returns the words that may stand for the last one. Returns none where a value or a file is expected. */
function completeWords(program: Command, words: readonly string[]): readonly Candidate[] {
  const current = words.at(-1) ?? ''
  let command = program
  let option: Option | undefined
  for (const word of words.slice(0, -1)) {
    const isValue = option?.required
    option = isValue ? undefined : findOption(command, word)
    if (!isValue) command = command.commands.find((child) => child.name() === word) ?? command
  }
  const takesFile = command.registeredArguments.some((argument) => argument.name() === 'file')
  if (option?.required || (takesFile && !current.startsWith('-'))) return []
  const help = command.createHelp()
  return [
    ...help.visibleCommands(command).map((one) => ({ word: one.name(), about: one.summary() })),
    ...command.registeredArguments
      .flatMap(({ argChoices = [] }) => argChoices)
      .map((word) => ({ word, about: '' })),
    ...help.visibleOptions(command).flatMap(({ short, long, description: about }) => {
      return [short, long].flatMap((word) => (word ? [{ word, about }] : []))
    }),
  ].filter(({ word }) => word.startsWith(current))
}

function findOption(command: Command, word: string): Option | undefined {
  return command.options.find(({ short, long }) => word === short || word === long)
}
