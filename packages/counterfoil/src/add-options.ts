import type { Command, Option } from 'commander'

/** The help heading of required options. */
export const REQUIRED = 'Required:'

/** The help heading of the options that a profile or the environment can hold. */
export const CONNECTION = 'Connection (from the option, else the variable, else the profile):'

/** The help heading of all other options. */
export const OPTIONS = 'Options:'

/** The headings that come last. */
const LAST: readonly string[] = [OPTIONS, CONNECTION]

/**
 * Adds options. The help shows options with a heading of their own first, and those of the connection last. A command
 * line may hold an option once, unless the option has a parser of its own, which collects the values.
 */
export function addOptions(command: Command, options: readonly Option[]): void {
  const rank = ({ helpGroupHeading = OPTIONS }: Option) => LAST.indexOf(helpGroupHeading)
  for (const option of options.toSorted((one, other) => rank(one) - rank(other))) {
    if (!option.parseArg || option.argChoices) refuseRepeated(command, option)
    command.addOption(option)
  }
}

/** Adds a hidden option that ends the command with a message. */
export function refuseOption(command: Command, option: Option, message: string): void {
  command.addOption(option.hideHelp()).on(`option:${option.name()}`, () => command.error(message))
}

/**
 * Ends a command that lacks an option under {@link REQUIRED}. Commander's own check runs before its check for unknown
 * options, so it would report a misspelt option as missing.
 */
export function checkRequired(command: Command): void {
  const missing = command.options
    .filter(({ helpGroupHeading }) => helpGroupHeading === REQUIRED)
    .filter((option) => command.getOptionValue(option.attributeName()) === undefined)
    .map(({ long }) => long)
  if (missing.length > 0) command.error(`missing ${missing.join(', ')}`)
}

/** Listens before `addOption` does, because the listener of `addOption` stores the new value. */
function refuseRepeated(command: Command, option: Option): void {
  command.on(`option:${option.name()}`, () => {
    const isRepeated = command.getOptionValueSource(option.attributeName()) === 'cli'
    if (isRepeated) command.error(`use --${option.name()} only once`)
  })
}
