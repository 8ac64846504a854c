import type { Command } from 'commander'

/**
 * Adds `help`, which takes the names of a command and its subcommand. Help for an unknown command is an error.
 * Commander's own `help` prints the general help in both cases.
 */
export function addHelpCommand(program: Command): void {
  program
    .command('help')
    .summary('print the help of a command')
    .description('Prints the help of a command.')
    .argument('[command...]', 'command, with its subcommand if it has one')
    .addHelpText('after', `\nExample:\n  ${program.name()} help ${exampleOf(program)}`)
    .action((names: readonly string[]) => commandNamed(program, names).outputHelp())
  refuseUnknown(program)
}

/** The first command that has subcommands, and its first subcommand. */
function exampleOf(program: Command): string {
  const group = program.commands.find(({ commands }) => commands.length > 0)
  return [group?.name(), group?.commands[0]?.name()].join(' ')
}

function commandNamed(command: Command, [name, ...rest]: readonly string[]): Command {
  if (name === undefined) return command
  const subcommand = command.commands.find((child) => child.name() === name)
  if (subcommand) return commandNamed(subcommand, rest)
  return command.error(`error: unknown command '${name}'`)
}

function refuseUnknown(command: Command): void {
  if (command.commands.length === 0) return
  command.helpCommand(false)
  command.on('beforeHelp', () => {
    const [name] = command.args
    if (name !== undefined && !name.startsWith('-')) commandNamed(command, [name])
  })
  for (const child of command.commands) refuseUnknown(child)
}
