import { INPUT_TYPES, type InputType } from '@counterfoil/protocol'
import * as z from 'zod'
import { formatInstant, LIMITS, parseCursor, parseInstant } from '@counterfoil/common'
import type { EngineValue } from '@counterfoil/engine'
import { STATUSES, TRANSACTION_TYPES } from '@counterfoil/ledger'

/** The name of a parameter, or of an axis of the period. */
export const parameterName = z
  .string()
  .regex(/^[A-Za-z][\w.-]*$/, 'expected a letter, then letters, digits, "_", "-" and "."')

/** Parameters that every report has, or that `period` or `changes` adds. */
const RESERVED_NAMES = [
  'now',
  'timezone',
  'timezoneName',
  'dateFrom',
  'dateTo',
  'dateAxis',
  'changedSince',
]

/** Returns the name of a parameter in placeholders, where `-` and `.` cannot stand: `min-amount` is `{min_amount:…}`. */
export function placeholderOf(parameter: string): string {
  return parameter.replaceAll(/[-.]/g, '_')
}

/** Vocabularies of the ledger, by the name that a report file uses. */
const VOCABULARIES = { statuses: STATUSES, types: TRANSACTION_TYPES }

export const parameterSchema = z
  .strictObject({
    /** The name in requests and in placeholders. */
    name: parameterName.refine((written) => !RESERVED_NAMES.includes(placeholderOf(written)), {
      error: `expected another name: ${RESERVED_NAMES.join(', ')} are reserved`,
    }),
    title: z.string().min(1),
    type: z.enum(INPUT_TYPES),
    required: z.boolean().default(false),
    default: z.string().optional(),
    /** The values that a caller may choose from. */
    allowed: z
      .union([
        z.array(z.string().min(1)).min(1),
        z.enum(['statuses', 'types']).transform((name): string[] => [...VOCABULARIES[name]]),
      ])
      .optional(),
    /** Whether a value is a list, separated by commas. */
    list: z.boolean().default(false),
    lengthMax: z.int().min(1).optional(),
    /** SQL that restricts the report's rows if the parameter has a value. */
    condition: z.string().trim().min(1).optional(),
  })
  .refine(
    (parameter) => (parameter.type === 'INPUT_SELECT') === (parameter.allowed !== undefined),
    {
      error: 'expected the allowed values for INPUT_SELECT, and none for any other type',
      path: ['allowed'],
    },
  )
  .refine((parameter) => !(parameter.required && parameter.default !== undefined), {
    error: 'expected no default for a required parameter',
    path: ['default'],
  })

type WrittenParameter = Omit<z.output<typeof parameterSchema>, 'allowed' | 'condition'>

/** A parameter of a report, of its period, or of the configuration. */
export interface TemplateParameter extends Readonly<WrittenParameter> {
  /** The values that a caller may choose from. `timezones` means every time zone. */
  readonly allowed?: readonly string[] | 'timezones' | undefined
  /** Whether a value is the cursor of an earlier run. */
  readonly isCursor?: boolean
}

/** The time zone of a report: for its bounds and for the times that it prints. */
export const TIMEZONE: TemplateParameter = {
  name: 'timezone',
  title: 'The time zone of the period and of the columns',
  type: 'INPUT_SELECT',
  required: false,
  default: 'UTC',
  allowed: 'timezones',
  list: false,
}

/** Asks for the rows that changed after an earlier run. Reports with `changes` have it. */
export const CHANGED_SINCE: TemplateParameter = {
  name: 'changedSince',
  title:
    'The cursor of an earlier run: only rows that changed after it; for operators and merchants',
  type: 'INPUT_DATETIME',
  required: false,
  list: false,
  isCursor: true,
}

/** What reading a value depends on, apart from the value. */
export interface ReadingContext {
  readonly timezone: string
  readonly timezones: ReadonlySet<string>
}

/** The error of an invalid value: the text after `expected`. */
export interface Unreadable {
  readonly expected: string
}

interface ParameterType {
  /** The types that a placeholder may have. The engine would silently cut values to other types. */
  readonly placeholders: readonly string[]
  /** Returns the value for the engine, or `undefined` if the text is invalid. */
  readonly read: (
    text: string,
    parameter: TemplateParameter,
    context: ReadingContext,
  ) => string | undefined
  readonly expected: (parameter: TemplateParameter) => string
  /** Returns a value that every parameter of the type accepts. */
  readonly example: (parameter: TemplateParameter) => string
}

const instant: ParameterType = {
  placeholders: ["DateTime64(3, 'UTC')"],
  read: (text, _, { timezone }) => {
    const read = parseInstant(text, timezone)
    return read === undefined ? undefined : formatInstant(read)
  },
  expected: () =>
    'a day or a time such as "2026-01-31" or "2026-01-31 13:45:00" that exists in the timezone',
  example: () => '2026-01-31',
}

const CURSOR: ParameterType = {
  placeholders: ['String'],
  read: (text) => (parseCursor(text) === undefined ? undefined : text),
  expected: () =>
    'the cursor of an earlier run, such as "2026-11-01T10:00:00.000Z_1f0c2a9be4d7". Use the "cursor" of your last ' +
    'run. Use "1970-01-01T00:00:00.000Z" to begin',
  example: () => '2026-11-01T10:00:00.000Z',
}

const BOOLEANS = new Map([
  ['true', '1'],
  ['false', '0'],
])

const PARAMETER_TYPES: Record<InputType, ParameterType> = {
  INPUT_TEXT: {
    placeholders: ['String'],
    read: (text) => text,
    expected: () => 'a text',
    example: () => 'text',
  },
  INPUT_DATE: {
    ...instant,
    read: (text, parameter, context) => {
      return text.length === 10 ? instant.read(text, parameter, context) : undefined
    },
    expected: () => 'a day such as "2026-01-31"',
  },
  INPUT_DATETIME: instant,
  INPUT_NUMBER: {
    placeholders: ['Decimal(38, 8)'],
    read: (text) => (/^-?\d{1,18}(\.\d{1,8})?$/.test(text) ? text : undefined),
    expected: () => 'a number such as "42" or "-0.5", of at most 18 digits and 8 after the point',
    example: () => '1',
  },
  INPUT_SELECT: {
    placeholders: ['String'],
    read: (text, { allowed }, { timezones }) => {
      const choices = allowed === 'timezones' ? timezones : new Set(allowed)
      return choices.has(text) ? text : undefined
    },
    expected: ({ allowed = [] }) => {
      return allowed === 'timezones'
        ? 'an IANA time zone such as "Europe/Berlin"'
        : `one of ${allowed.join(', ')}`
    },
    example: ({ allowed = [] }) => (allowed === 'timezones' ? 'Europe/Berlin' : (allowed[0] ?? '')),
  },
  INPUT_BOOLEAN: {
    placeholders: ['Bool', 'UInt8'],
    read: (text) => BOOLEANS.get(text),
    expected: () => '"true" or "false"',
    example: () => 'true',
  },
}

function typeOf({ type, isCursor }: TemplateParameter): ParameterType {
  return isCursor === true ? CURSOR : PARAMETER_TYPES[type]
}

/** Reads a parameter's value strictly: it never guesses. */
export function readValue(
  parameter: TemplateParameter,
  text: string,
  context: ReadingContext,
): EngineValue | Unreadable {
  const type = typeOf(parameter)
  const lengthMax = parameter.lengthMax ?? LIMITS.parameterLengthMax
  if (text.length > lengthMax) return { expected: `at most ${lengthMax} characters` }
  const texts = parameter.list ? text.split(',').map((element) => element.trim()) : [text]
  // A server takes no value of a list that is much longer.
  const elementMax = LIMITS.parameterLengthMax
  if (parameter.list && texts.some(({ length }) => length > elementMax)) {
    return { expected: `at most ${elementMax} characters in each value of the list` }
  }
  const values = texts.map((element) => type.read(element, parameter, context))
  const read = values.filter((value) => value !== undefined)
  if (read.length < values.length) {
    const list = parameter.list ? 'a list, separated by commas, where each is ' : ''
    return { expected: list + type.expected(parameter) }
  }
  return parameter.list ? read : (read[0] ?? '')
}

/**
 * The types that a parameter's placeholder may have. A list of numbers or booleans is an array of texts, because the
 * engine binds numbers and booleans only one by one. A list of times is an array of times.
 */
export function placeholderTypes(parameter: TemplateParameter): readonly string[] {
  const { placeholders } = typeOf(parameter)
  if (!parameter.list) return placeholders
  const isTime = placeholders === instant.placeholders
  return [`Array(${isTime ? instant.placeholders.join() : 'String'})`]
}

/** A valid value of a parameter, as a caller writes it. */
export function exampleValue(parameter: TemplateParameter): string {
  return typeOf(parameter).example(parameter)
}

export function isUnreadable(value: EngineValue | Unreadable): value is Unreadable {
  return typeof value === 'object' && 'expected' in value
}
