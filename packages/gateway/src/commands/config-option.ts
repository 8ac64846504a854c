import type { Command } from 'commander'

/** What a command shows of itself. */
interface Shown {
  readonly summary: string
  readonly description: string
  /** Lines without the name of the program. */
  readonly examples: readonly string[]
}

/** Adds `--config`, which every command on a gateway needs. */
export function addConfigOption(command: Command): Command {
  return command.requiredOption('--config <file>', 'configuration file (required)')
}

/** Adds a command on a gateway, with `--config`. */
export function addCommand(parent: Command, name: string, shown: Shown): Command {
  return addConfigOption(addGroup(parent, name, shown))
}

/** Adds a command without `--config`, such as one that has commands below it. */
export function addGroup(parent: Command, name: string, shown: Shown): Command {
  const { summary, description, examples } = shown
  const lines = examples.map((example) => `  counterfoil-gateway ${example}`)
  const title = lines.length > 1 ? 'Examples' : 'Example'
  return parent
    .command(name)
    .summary(summary)
    .description(description)
    .addHelpText('after', `\n${title}:\n${lines.join('\n')}`)
}
