import { Argument, type Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { GatewayError, readRegularFile } from '@counterfoil/common'
import { loadConfig } from '../config/config.ts'

/** An argument or an option of a command, which gets a value of this type from it. */
export type Input<T> = (Argument | Option) & { readonly value?: T }

/** How a text of the command line becomes a value: a function that throws `InvalidArgumentError`, or a list of choices. */
type Parse<T> = ((text: string) => T) | readonly T[]

/** A command of `counterfoil-gateway`: what its help shows, what it takes, and what it does. */
interface CommandDescription<T> {
  readonly name: string
  /** The line of the command in the help of the program. */
  readonly summary: string
  /** The sentences of its help. Line breaks in it mean nothing. */
  readonly description: string
  /** Command lines without the name of the program. */
  readonly examples: readonly string[]
  readonly takes: { readonly [Name in keyof T]: Input<T[Name]> }
  /** The exit codes that need words. */
  readonly exitCodes?: Readonly<Record<number, string>>
  /** The variables that the command reads. */
  readonly environment?: Readonly<Record<string, string>>
  /** The commands below this one. */
  readonly below?: readonly DescribedCommand[]
  /**
   * Runs the command. It may return an exit code.
   *
   * @throws {InvalidArgumentError} for a wrong command line
   */
  readonly run: (values: T) => Promise<number | void>
}

/** A command that can be added to the program. */
export interface DescribedCommand {
  readonly examples: readonly string[]
  add(parent: Command): void
}

/** Describes a command. */
export function command<T>(description: CommandDescription<T>): DescribedCommand {
  const { name, takes, examples, below = [], run } = description
  const inputs: (Argument | Option)[] = Object.values(takes)
  const add = (parent: Command): void => {
    const added = addDescribed(parent, name, description)
    for (const input of inputs) {
      if (input instanceof Argument) added.addArgument(input)
      else added.addOption(isReadBy(parent, input) ? shownOnly(input) : input)
    }
    for (const child of below) child.add(added)
    added.action(async () => {
      try {
        const code = await run(valuesOf(added, takes))
        if (code) throw new CommanderError(code, name, '')
      } catch (error) {
        if (error instanceof InvalidArgumentError) added.error(`error: ${error.message}`)
        throw error
      }
    })
  }
  return { examples, add }
}

/** The values of a command line, by the names of its inputs. */
function valuesOf<T>(added: Command, takes: CommandDescription<T>['takes']): T {
  const { processedArgs, registeredArguments } = added
  const inputs: [string, Argument | Option][] = Object.entries(takes)
  const options = added.optsWithGlobals()
  const values = inputs.map(([key, input]) => {
    if (input instanceof Option) return [key, options[input.attributeName()]]
    return [key, processedArgs[registeredArguments.indexOf(input)]]
  })
  return Object.fromEntries(values)
}

/** Whether the command above has an option. It then also reads it behind the name of the command below. */
function isReadBy({ options }: Command, { long }: Option): boolean {
  return options.some((known) => known.long === long)
}

/** An option for the help. */
function shownOnly({ flags, description }: Option): Option {
  return new Option(flags, description)
}

/** Describes a command that only has commands below it. */
export function group(
  name: string,
  described: Pick<CommandDescription<unknown>, 'summary' | 'description'>,
  below: readonly DescribedCommand[],
): DescribedCommand {
  const examples = below.flatMap((child) => child.examples.slice(0, 1))
  const add = (parent: Command): void => {
    const added = addDescribed(parent, name, { ...described, examples })
    for (const child of below) child.add(added)
  }
  return { examples, add }
}

function addDescribed(
  parent: Command,
  name: string,
  described: Omit<CommandDescription<unknown>, 'name' | 'takes' | 'run'>,
): Command {
  const { summary, description, examples, exitCodes = {}, environment = {} } = described
  const lines = examples.map((example) => `counterfoil-gateway ${example}`)
  return parent
    .command(name)
    .helpCommand(false)
    .summary(summary)
    .description(description.replaceAll(/\s+/g, ' '))
    .addHelpText('after', section('Exit codes', linesOf(exitCodes)))
    .addHelpText('after', section('Environment', linesOf(environment)))
    .addHelpText('after', section(lines.length > 1 ? 'Examples' : 'Example', lines))
}

function linesOf(texts: Readonly<Record<string, string>>): readonly string[] {
  const width = Math.max(...Object.keys(texts).map((name) => name.length))
  return Object.entries(texts).map(([name, text]) => `${name.padEnd(width)}  ${text}`)
}

/** A section of a help, or nothing if it has no lines. */
function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `\n${title}:\n${lines.map((line) => `  ${line}`).join('\n')}`
}

/** An argument, such as `<login>`, `[folder]` or `<file...>`. */
export function argument<T = string>(
  term: string,
  description: string,
  parse?: Parse<T>,
): Input<T> {
  return parsedBy(new Argument(term, description), parse)
}

/** An option without a value. */
export function flag(flags: string, description: string): Input<boolean | undefined> {
  return new Option(flags, description)
}

/** An option with a value, such as `--role <role>`. */
export function option<T extends string | number | object = string>(
  flags: string,
  description: string,
  parse?: Parse<T>,
): Input<T | undefined> {
  return parsedBy(new Option(flags, description), parse)
}

/** An option that must be there. */
export function requiredOption<T = string>(
  flags: string,
  description: string,
  parse?: Parse<T>,
): Input<T> {
  return parsedBy(new Option(flags, `${description} (required)`).makeOptionMandatory(), parse)
}

/** An option with a default. */
export function optionOr<T>(
  fallback: T,
  flags: string,
  description: string,
  parse: Parse<T>,
): Input<T> {
  return parsedBy(new Option(flags, description).default(fallback), parse)
}

function parsedBy<Part extends Argument | Option, T>(part: Part, parse?: Parse<T>): Part {
  if (typeof parse === 'function') part.argParser((text: string) => parse(text))
  else if (parse) part.choices(parse.map(String))
  return part
}

/** The option `--config`, which every command on a gateway needs. */
export const CONFIG = requiredOption('--config <file>', 'configuration file', loadConfig)

/** The option `--json` of commands that list something. */
export const JSON_FLAG = flag('--json', 'print JSON')

/** Returns a function that parses a whole number of a range. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`)
  }
}

/** Returns a function that reads the text of a file. */
export function textOfFile(what: string, bytesMax: number): (file: string) => string {
  return (file) => {
    try {
      return Buffer.from(readRegularFile(file, bytesMax)).toString()
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new GatewayError('config', `Cannot read ${what} in ${file}: ${reason}`, { cause })
    }
  }
}
