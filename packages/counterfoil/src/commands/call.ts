import {
  CounterfoilClient,
  CounterfoilError,
  type ErrorCode,
  OperationRefused,
} from '@counterfoil/client'
import {
  type Field,
  type Operation,
  type OperationName,
  OPERATIONS,
  spellingsOf,
} from '@counterfoil/protocol'
import { type Command, Option } from 'commander'
import { addCommand, OPTIONS, REQUIRED } from '../command.ts'
import { readOperations } from '../connection/read-connection.ts'
import { type ConnectionOptions, connectionOptions } from '../connection/settings.ts'
import type { Dependencies, ProgramDependencies } from '../dependencies.ts'
import { EXIT_CODE_HELP, EXIT_CODES, INPUT_NOTES } from '../exit-codes.ts'
import { type Attempt, endWithError } from '../print/end-with-error.ts'
import { jsonLine } from '../print/text.ts'
import { readText } from '../read-text.ts'
import { UsageError } from '../usage-error.ts'

/** The end of the help of each operation. */
const CALL_NOTES = `
The example needs the environment variables COUNTERFOIL_API_URL,
COUNTERFOIL_LOGIN and COUNTERFOIL_CONTROL_KEY_FILE.
${INPUT_NOTES}

Card numbers and verification values come from a file or from an environment
variable, never from an argument. The gateway checks the fields. The command
always prints the answer as a line of JSON: there is no --json.
${EXIT_CODE_HELP}`

const CALL_EXAMPLE = `
Example, with a test card:
  echo 9001000000000000 > card.txt`

/** A call of each operation that a sandbox accepts. */
const CALL_EXAMPLES: Readonly<Record<OperationName, string>> = {
  'pan-eligibility': `${CALL_EXAMPLE}
  counterfoil call pan-eligibility --endpoint 100 --client-order-id try-1 \\
    --sending-card-number-file card.txt --card-printed-name 'Anna Ozola' \\
    --expire-month 12 --expire-year 2031`,
  transfer: `${CALL_EXAMPLE}
  echo 123 > cvv2.txt
  counterfoil call transfer --endpoint 100 --client-order-id try-2 \\
    --amount 10.42 --currency EUR --credit-card-number-file card.txt \\
    --cvv2-file cvv2.txt --expire-month 12 --expire-year 2031 \\
    --card-printed-name 'Anna Ozola' --destination-card-no-file card.txt`,
  'transfer-by-ref': `${CALL_EXAMPLE}
  counterfoil call transfer-by-ref --endpoint 100 --client-order-id try-3 \\
    --amount 10.42 --currency EUR --destination-card-no-file card.txt`,
  payout: `${CALL_EXAMPLE}
  counterfoil call payout --endpoint 100 --client-order-id try-4 \\
    --amount 10.42 --currency EUR --credit-card-number-file card.txt`,
}

/** The options of `counterfoil call` that set no field, from the command line or the environment. */
interface CallOptions extends ConnectionOptions {
  /** The id of an endpoint, not a URL. */
  readonly endpoint: string
}

const PERHAPS_ACCEPTED =
  'The gateway may have accepted the operation. Repeat the call with the same client order id: you get the first answer.'

// What the caller knows about the operation if no answer of the gateway arrived.
const STATE: Readonly<Partial<Record<ErrorCode, string>>> = {
  'invalid-settings': 'Nothing was sent.',
  'network-error': PERHAPS_ACCEPTED,
  'timed-out': PERHAPS_ACCEPTED,
  truncated: PERHAPS_ACCEPTED,
  'unexpected-body': PERHAPS_ACCEPTED,
}

/** Adds `call`, with a subcommand for each operation. */
export function addCallCommand(program: Command, dependencies: ProgramDependencies): void {
  const call = program
    .command('call')
    .summary("call one of the sandbox's form operations")
    .description("Calls one of the sandbox's form operations for one of your endpoints.")
    .helpCommand(false)
    .addHelpText('after', '\nExample:\n  counterfoil call transfer-by-ref --help')
  for (const operation of Object.values(OPERATIONS)) addOperation(call, dependencies, operation)
}

function addOperation(call: Command, dependencies: ProgramDependencies, operation: Operation) {
  const { name, title } = operation
  const fields = fieldOptions(operation)
  addCommand<CallOptions & OptionValues>(call, dependencies, {
    name,
    summary: title,
    description: `Calls the form operation ${name}: ${title}.`,
    options: [
      new Option('--endpoint <id>', 'id of your endpoint').helpGroup(REQUIRED),
      ...fields.map(({ option }) => option),
      ...connectionOptions('--endpoint', '--sign-body'),
    ],
    help: `${CALL_EXAMPLES[name]}\n${CALL_NOTES}`,
    run: async (options) => await runCall(operation, fields, options, dependencies),
  })
}

/** Calls an operation and prints its answer as a line of JSON. */
async function runCall(
  operation: Operation,
  fields: readonly FieldOption[],
  options: CallOptions & OptionValues,
  dependencies: Dependencies,
): Promise<number> {
  const { env, stdout, signal } = dependencies
  const endpointId = options.endpoint
  const values = await readFields(fields, options, env)
  const connection = await readOperations(options, dependencies)
  try {
    const { payments } = new CounterfoilClient(connection)
    const answer = await payments.call(operation.name, endpointId, values, { signal })
    stdout.write(jsonLine(answer))
    return EXIT_CODES.done
  } catch (error) {
    if (!signal.aborted && error instanceof OperationRefused) {
      stdout.write(jsonLine(error.answer))
    }
    const attempt: Attempt = {
      url: { option: '--api-url', value: connection.apiUrl },
      ca: connection.ca,
      state: error instanceof CounterfoilError ? stateAfter(error) : undefined,
      afterInterruption: PERHAPS_ACCEPTED,
    }
    return await endWithError(error, attempt, dependencies)
  }
}

function stateAfter(error: CounterfoilError): string | undefined {
  return 'nothingSent' in error && error.nothingSent ? 'Nothing was sent.' : STATE[error.code]
}

/** A field of an operation, and the option that sets it. */
interface FieldOption {
  readonly field: Field
  readonly option: Option
  /** The environment variable that may hold a card number or a verification value, whose option names a file. */
  readonly variable?: string
}

/**
 * Creates the options of an operation's fields. An option has the field's name with hyphens. Its heading in the help
 * says whether the option is required, and with which other options.
 */
function fieldOptions(operation: Operation): readonly FieldOption[] {
  return operation.fields.map((field) => {
    const { kind, title } = field
    const heading = headingOf(field, operation)
    if (!isSecret(field)) {
      const isBoolean = kind === 'boolean'
      const value = isBoolean ? '[true|false]' : `<${kind === 'card-id' ? 'id' : kind}>`
      const description = isBoolean ? `${title} (without a value: true)` : title
      const option = new Option(`${flagOf(field)} ${value}`, description).helpGroup(heading)
      return { field, option }
    }
    const name = nameOf(field)
    const variable = `COUNTERFOIL_${name.toUpperCase().replaceAll('-', '_')}`
    const description = `file that holds ${title} (or the value in the environment variable ${variable})`
    const option = new Option(`${flagOf(field)} <file>`, description).helpGroup(heading)
    return { field, option, variable }
  })
}

function headingOf({ name, required: isRequired }: Field, { fields, choices }: Operation): string {
  if (isRequired) return REQUIRED
  const flags = new Map(fields.map((field) => [field.name, flagOf(field)]))
  const [heading = OPTIONS] = choices.flatMap(({ title, required, alternatives }) => {
    return alternatives.flatMap(({ field, requires = [], allows = [] }) => {
      if (requires.includes(name)) return [`Required with ${flags.get(field)}:`]
      if (allows.includes(name)) return [`Only with ${flags.get(field)}:`]
      return required && field === name ? [`One of these as ${title}:`] : []
    })
  })
  return heading
}

/** The flag of a field. Card numbers and verification values come from files. */
function flagOf(field: Field): string {
  return isSecret(field) ? `--${nameOf(field)}-file` : `--${nameOf(field)}`
}

function nameOf(field: Field): string {
  return spellingsOf(field).find((spelling) => !spelling.includes('_')) ?? field.name
}

function isSecret({ kind }: Field): boolean {
  return kind === 'card' || kind === 'cvv'
}

/** The values of a command line, by the options' attribute names. */
type OptionValues = Readonly<Record<string, unknown>>

/**
 * Reads the fields that the command line sets, by their names.
 *
 * @throws {UsageError} if a file is not readable, or if a value has a file and a variable
 */
async function readFields(
  options: readonly FieldOption[],
  values: OptionValues,
  environment: NodeJS.ProcessEnv,
): Promise<Record<string, string>> {
  const fields: Record<string, string> = {}
  for (const { field, option, variable } of options) {
    const argument = values[option.attributeName()]
    const value =
      variable === undefined
        ? argument
        : await readSecret(`--${option.name()}`, argument, variable, environment)
    // An option without a value is `true`.
    if (typeof value === 'string' || value === true) fields[field.name] = String(value)
  }
  return fields
}

async function readSecret(
  flag: string,
  file: unknown,
  variable: string,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const value = environment[variable]
  if (typeof file !== 'string') return value
  if (value === undefined) return (await readText(file, flag)).trim()
  throw new UsageError(`use either ${flag} or the variable ${variable}, not both`)
}
