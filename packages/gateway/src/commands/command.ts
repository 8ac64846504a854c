import { Argument, type Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { GatewayError, messageOf, readRegularFile } from '@counterfoil/common'
import { loadConfig } from '../config/config.ts'

/** An argument or an option of a command, which gets a value of this type from it. */
export type Input<T> = (Argument | Option) & { readonly value?: T }

/** How a text of the command line becomes a value: a function that throws `InvalidArgumentError`, or a list of choices. */
type Parse<T> = ((text: string) => T) | readonly T[]

interface CommandDescription<T> {
  readonly name: string
  /** The line of the command in the help of the program. */
  readonly summary: string
  /** The sentences of its help. Line breaks in it mean nothing. */
  readonly description: string
  /** Command lines without the name of the program. A command without them shows those of the commands below it. */
  readonly examples?: readonly string[]
  readonly takes: { readonly [Name in keyof T]: Input<T[Name]> }
  /** The exit codes that need words. */
  readonly exitCodes?: Readonly<Record<number, string>>
  readonly environment?: Readonly<Record<string, string>>
  readonly below?: readonly DescribedCommand[]
  /**
   * Runs the command. It may return an exit code.
   *
   * @throws {InvalidArgumentError} for a wrong command line
   */
  readonly run: (values: T) => Promise<number | void>
}

export interface DescribedCommand {
  readonly examples: readonly string[]
  add(parent: Command): Command
}

export function command<T>(description: CommandDescription<T>): DescribedCommand {
  const { name, takes, below = [], run } = description
  const described = group({ ...description, below: [] })
  const inputs: (Argument | Option)[] = Object.values(takes)
  const add = (parent: Command): Command => {
    const added = described.add(parent)
    // The command above also reads its options behind the name of this one, which then only shows them.
    const isReadAbove = ({ long }: Option) => parent.options.some((known) => known.long === long)
    for (const input of inputs) {
      if (input instanceof Argument) added.addArgument(input)
      else added.addOption(isReadAbove(input) ? new Option(input.flags, input.description) : input)
    }
    for (const child of below) child.add(added)
    return added.action(async () => {
      try {
        const code = await run(valuesOf(added, takes))
        if (code) throw new CommanderError(code, name, '')
      } catch (error) {
        if (error instanceof InvalidArgumentError) added.error(`error: ${error.message}`)
        throw error
      }
    })
  }
  return { ...described, add }
}

/** Describes a command that only has commands below it. */
export function group({
  name,
  summary,
  description,
  exitCodes = {},
  environment = {},
  below = [],
  examples = below.flatMap((child) => child.examples.slice(0, 1)),
}: Omit<CommandDescription<unknown>, 'takes' | 'run'>): DescribedCommand {
  const lines = examples.map((example) => `counterfoil-gateway ${example}`)
  const add = (parent: Command): Command => {
    const added = parent
      .command(name)
      .helpCommand(false)
      .summary(summary)
      .description(description.replaceAll(/\s+/g, ' '))
      .addHelpText('after', section('Exit codes', linesOf(exitCodes)))
      .addHelpText('after', section('Environment', linesOf(environment)))
      .addHelpText('after', section(lines.length > 1 ? 'Examples' : 'Example', lines))
    for (const child of below) child.add(added)
    return added
  }
  return { examples, add }
}

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

export function requiredOption<T = string>(
  flags: string,
  description: string,
  parse?: Parse<T>,
): Input<T> {
  return parsedBy(new Option(flags, `${description} (required)`).makeOptionMandatory(), parse)
}

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

export function textThat(check: (text: string) => boolean, expected: string) {
  return (text: string): string => {
    if (check(text)) return text
    throw new InvalidArgumentError(`Expected ${expected}.`)
  }
}

export function wholeNumber(min: number, max: number): (text: string) => number {
  const isIn = (text: string) => /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max
  const checked = textThat(isIn, `a whole number from ${min} to ${max}`)
  return (text) => Number(checked(text))
}

export function textOfFile(what: string, bytesMax: number): (file: string) => string {
  return (file) => {
    try {
      return Buffer.from(readRegularFile(file, bytesMax)).toString()
    } catch (cause) {
      const message = `Cannot read ${what} in ${file}: ${messageOf(cause)}`
      throw new GatewayError('config', message, { cause })
    }
  }
}
