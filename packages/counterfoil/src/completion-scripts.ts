import type { Command, Option } from 'commander'

/** The shells that {@link COMPLETION_SCRIPTS} knows. */
export type Shell = 'bash' | 'zsh' | 'fish'

/** Writes the completion of a program for a shell, as a script for the shell to read. */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, (program: Command) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

/** What can stand at one place of a command line: after the program's name, or after a command's. */
interface Level {
  /** The names of the commands before, each after a space: ` call payout`. */
  readonly path: string
  readonly commands: readonly Command[]
  readonly options: readonly Option[]
  /** The words that an argument may be. */
  readonly choices: readonly string[]
  readonly takesFile: boolean
}

function levelsOf(command: Command, path = ''): readonly Level[] {
  const helper = command.createHelp()
  const commands = helper.visibleCommands(command)
  const level = {
    path,
    commands,
    options: helper.visibleOptions(command),
    choices: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    takesFile: command.registeredArguments.some((argument) => argument.name() === 'file'),
  }
  return [level, ...commands.flatMap((child) => levelsOf(child, `${path} ${child.name()}`))]
}

const flagsOf = ({ short, long }: Option) => [short, long].filter((flag) => flag !== undefined)
const namesFile = ({ flags }: Option) => /<(file|path)>$/.test(flags)
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
// No line of the shells' cases has a slash.
const patterns = (texts: readonly string[]) => texts.map(quote).join('|') || '/'
const patternsOf = (levels: readonly Level[]) => patterns(levels.map(({ path }) => path))

/** The command lines after which a value follows: of a file, and of anything else. */
function valuesOf({ path, options }: Level) {
  const before = (some: readonly Option[]) => some.flatMap(flagsOf).map((flag) => `${path} ${flag}`)
  const files = options.filter(namesFile)
  const others = options.filter((option) => option.required && !namesFile(option))
  return { files: before(files), others: before(others) }
}

function bashScript(program: Command): string {
  const name = program.name()
  const levels = levelsOf(program)
  const wordsAt = levels.map(({ path, commands, options, choices }) => {
    const words = [...commands.map((command) => command.name()), ...choices]
    return `    ${quote(path)}) words=${quote([...words, ...options.flatMap(flagsOf)].join(' '))} ;;`
  })
  return `# Completion of ${name} for bash. Where it offers nothing, bash offers files.
_${name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} path= word words=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in ${patternsOf(levels.slice(1))}) path="$path $word" ;; esac
  done
  COMPREPLY=()
  case "$path $previous" in
    ${patterns(levels.flatMap((level) => [...valuesOf(level).files, ...valuesOf(level).others]))}) return ;;
  esac
  case "$path" in
    ${patternsOf(levels.filter(({ takesFile }) => takesFile))}) [[ $current == -* ]] || return ;;
  esac
  case "$path" in
${wordsAt.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${name} ${name}
`
}

function zshScript(program: Command): string {
  const name = program.name()
  const levels = levelsOf(program)
  const item = (word: string, about = '') => quote(`${word.replaceAll(':', '\\:')}:${about}`)
  const itemsAt = levels.map(({ path, commands, options, choices }) => {
    const words = commands.map((command) => item(command.name(), command.summary()))
    const flags = options.flatMap((option) => {
      return flagsOf(option).map((flag) => item(flag, option.description))
    })
    const some = [...words, ...choices.map((choice) => item(choice))]
    const list = (items: readonly string[]) => items.map((each) => `\n      ${each}`).join('')
    return `    (${quote(path)})\n    items=(${list(some)})\n    flags=(${list(flags)})\n    ;;`
  })
  return `#compdef ${name}
# Completion of ${name} for zsh.
_${name}() {
  local line= word
  local -a items flags
  for word in \${words[2,CURRENT-1]}; do
    case "$line $word" in (${patternsOf(levels.slice(1))}) line="$line $word" ;; esac
  done
  case "$line \${words[CURRENT-1]}" in
    (${patterns(levels.flatMap((level) => valuesOf(level).files))}) _files; return ;;
    (${patterns(levels.flatMap((level) => valuesOf(level).others))}) return ;;
  esac
  case "$line" in
${itemsAt.join('\n')}
  esac
  _describe command items
  _describe -o option flags
  case "$line" in (${patternsOf(levels.filter(({ takesFile }) => takesFile))}) _files ;; esac
}
if [[ $funcstack[1] == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi
`
}

function fishScript(program: Command): string {
  const name = program.name()
  const levels = levelsOf(program)
  const fishQuote = (text: string) => `'${text.replaceAll(/[\\']/g, '\\$&')}'`
  const lines = levels.flatMap(({ path, commands, options, choices, takesFile }) => {
    const start = `complete -c ${name} -n ${fishQuote(`__${name}_at ${fishQuote(path)}`)}`
    const words = commands.map((command) => {
      return `${start} -a ${command.name()} -d ${fishQuote(command.summary())}`
    })
    const flags = options.map((option) => {
      const { short, long, description, required } = option
      const names = [short && `-s ${short.slice(1)}`, long && `-l ${long.slice(2)}`]
      const value = namesFile(option) ? '-r -F' : required ? '-x' : ''
      return [start, ...names, value, `-d ${fishQuote(description)}`].filter(Boolean).join(' ')
    })
    const values = choices.map((choice) => `${start} -a ${choice}`)
    return [...words, ...values, ...flags, ...(takesFile ? [`${start} -F`] : [])]
  })
  return `# Completion of ${name} for fish.
function __${name}_at
    set -l path ''
    for word in (commandline -opc)[2..]
        contains -- "$path $word" ${levels
          .slice(1)
          .map(({ path }) => fishQuote(path))
          .join(' ')}
        and set path "$path $word"
    end
    test "$path" = "$argv[1]"
end
complete -c ${name} -f
${lines.join('\n')}
`
}
