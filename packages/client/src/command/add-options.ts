import type { Command, Option } from 'commander'

/** The heading, in a command's help, of the options that it cannot do without. */
export const REQUIRED = 'Required:'

/** The heading of all that have no other. */
export const OPTIONS = 'Options:'

/**
 * Adds options, those under headings of their own first, as the help then shows them. Each is given once, unless it
 * has a parser, which gathers what it is given.
 */
export function addOptions(command: Command, options: readonly Option[]): void {
  const rank = ({ helpGroupHeading = OPTIONS }: Option) => Number(helpGroupHeading === OPTIONS)
  for (const option of options.toSorted((one, other) => rank(one) - rank(other))) {
    if (!option.parseArg) refuseAgain(command, option)
    command.addOption(option)
  }
}

/** Adds an option that ends the command with a message, whatever it was given. */
export function refuseOption(command: Command, option: Option, message: string): void {
  command.addOption(option.hideHelp()).on(`option:${option.name()}`, () => command.error(message))
}

/**
 * Ends a command that lacks options under {@link REQUIRED}. Commander's own check would come before that for unknown
 * options, and take a misspelt option for a missing one.
 */
export function checkRequired(command: Command): void {
  const missing = command.options
    .filter(({ helpGroupHeading }) => helpGroupHeading === REQUIRED)
    .filter((option) => command.getOptionValue(option.attributeName()) === undefined)
    .map(({ long, envVar }) => (envVar === undefined ? long : `${long} (or ${envVar})`))
  if (missing.length > 0) command.error(`expected ${missing.join(', ')}`)
}

/** Ahead of `addOption`, whose listener, which takes the value, has to come second. */
function refuseAgain(command: Command, option: Option): void {
  command.on(`option:${option.name()}`, () => {
    const isAgain = command.getOptionValueSource(option.attributeName()) === 'cli'
    if (isAgain) command.error(`expected --${option.name()} once`)
  })
}
