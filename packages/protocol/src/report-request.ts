import * as z from 'zod/mini'
import { ID_LENGTH_MAX, isId, NOT_IN_ID } from './id.ts'
import { describe, strictObject, type ValueOf } from './schema.ts'

/** The nine filters of a report request (specification, "Report request"). */
export const FILTER_NAMES = [
  'gates',
  'companies',
  'projects',
  'endpoints',
  'merchants',
  'processors',
  'managers',
  'resellers',
  'currencies',
] as const

/** The name of a filter. */
export type FilterName = (typeof FILTER_NAMES)[number]

/**
 * The types that a parameter may declare. `INPUT_TEXT` is the only publicly known one. Every parameter accepts it, and
 * the gateway then checks the value by the parameter's own type.
 */
export const INPUT_TYPES = [
  'INPUT_TEXT',
  'INPUT_DATE',
  'INPUT_DATETIME',
  'INPUT_NUMBER',
  'INPUT_SELECT',
  'INPUT_BOOLEAN',
] as const

/** The type of a parameter, as a report declares it. */
export type InputType = (typeof INPUT_TYPES)[number]

/**
 * The id of a gate, a company and so on: a text, or an integer for the text of its digits. For a currency, its code. An
 * object holds the id in `id`, as the catalogue lists it; the gateway does not read the name.
 */
export type FilterValue = number | string | { readonly id: number | string; readonly name?: string }

/** Returns the id of a filter's value as text. */
export function filterId(value: FilterValue): string {
  return String(typeof value === 'object' ? value.id : value)
}

/** The default values of a report request. The default of `reportName` is the identifier. */
export const REPORT_REQUEST_DEFAULTS = {
  reportEncode: 'UTF-8',
  reportCsvDelimiter: ',',
  reportFormat: 'CSV',
} as const

/** The most elements and characters that a report request may have. */
export const REQUEST_LIMITS = {
  /** Parameters or columns in a list. */
  parametersMax: 200,
  /** Values of one filter. */
  filterValuesMax: 10_000,
  reportNameLengthMax: 200,
} as const

function text(expected: string): z.ZodMiniString<string> {
  return describe(z.string(expected), expected)
}

/** Creates the schema of a list that is empty by default. */
function listOf<Element extends z.core.$ZodType>(element: Element, of: string, lengthMax: number) {
  const list = z
    .array(element, `an array of ${of}`)
    .check(z.maxLength(lengthMax, `at most ${lengthMax} elements`))
  return z._default(list, [])
}

const PARAMETER_EXPECTED = 'an object of "type", "name" and "value"'

/** The schema of a parameter. */
export const inputParameterSchema = strictObject(
  {
    type: text('a text such as "INPUT_TEXT"'),
    name: text('the name of a parameter').check(z.minLength(1, 'the name of a parameter')),
    value: text('a text: send every value as text'),
  },
  PARAMETER_EXPECTED,
)

const parameters = () => listOf(inputParameterSchema, 'objects', REQUEST_LIMITS.parametersMax)

/** The id of an element of a filter: the element, or the `id` of an object as the catalogue lists it. */
function idOf(element: unknown): unknown {
  if (typeof element !== 'object' || element === null || !('id' in element)) return element
  const isKnown = Object.keys(element).every((member) => member === 'id' || member === 'name')
  return isKnown ? element.id : undefined
}

/**
 * Creates the schema of the values of a filter. A function checks each value: a union of schemas takes several times
 * as long for up to 80,000 values, and its faults would point into them.
 *
 * @param described the JSON Schema of an id, which says the same as `isValue`
 */
function filterOf(
  of: string,
  expected: string,
  described: Readonly<Record<string, unknown>>,
  isValue: (id: unknown) => boolean,
) {
  const value = z.custom<FilterValue>((element) => isValue(idOf(element)), expected)
  const members = { id: described, name: { type: 'string' } }
  const inObject = { type: 'object', properties: members, required: ['id'] }
  z.globalRegistry.add(value, {
    description: expected,
    anyOf: [described, { ...inObject, additionalProperties: false }],
  })
  return listOf(value, of, REQUEST_LIMITS.filterValuesMax)
}

const ids = () => {
  const described = {
    type: ['integer', 'string'],
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    minLength: 1,
    maxLength: ID_LENGTH_MAX,
    not: { type: 'string', pattern: NOT_IN_ID },
  }
  return filterOf(
    'ids',
    `an id: a text of 1 to ${ID_LENGTH_MAX} characters, or a whole number; or an object with "id"`,
    described,
    (id) => (typeof id === 'string' ? isId(id) : Number.isSafeInteger(id) && Number(id) >= 0),
  )
}

const currencies = filterOf(
  'currency codes',
  'a currency code such as "EUR"; or an object with "id"',
  { type: 'string', pattern: '^[A-Z]{3}$' },
  (id) => typeof id === 'string' && /^[A-Z]{3}$/.test(id),
)

/** Returns an object with a member for each filter. */
export function forEachFilter<Member>(
  create: (name: FilterName) => Member,
): Readonly<Record<FilterName, Member>> {
  return {
    gates: create('gates'),
    companies: create('companies'),
    projects: create('projects'),
    endpoints: create('endpoints'),
    merchants: create('merchants'),
    processors: create('processors'),
    managers: create('managers'),
    resellers: create('resellers'),
    currencies: create('currencies'),
  }
}

const filtersSchema = strictObject(
  { ...forEachFilter(ids), currencies },
  `an object of ${FILTER_NAMES.join(', ')}`,
)

const DELIMITER_EXPECTED = 'one character other than a double quote, CR, LF and NUL'
const NAME_LENGTH_MAX = REQUEST_LIMITS.reportNameLengthMax

/**
 * The schema of the JSON body of a report request (specification, "Report request"). Only `reportIdentifier` is
 * required. Each message continues a sentence that begins with `expected`.
 */
export const reportRequestSchema = strictObject(
  {
    reportIdentifier: text('the identifier of a report').check(
      z.minLength(1, 'the identifier of a report'),
    ),
    reportEncode: z._default(
      text('an encoding such as "UTF-8"'),
      REPORT_REQUEST_DEFAULTS.reportEncode,
    ),
    reportName: z.exactOptional(
      text('a name').check(z.maxLength(NAME_LENGTH_MAX, `at most ${NAME_LENGTH_MAX} characters`)),
    ),
    reportCsvDelimiter: z.exactOptional(
      text(DELIMITER_EXPECTED).check(z.regex(/^[^"\r\n\0\p{Cs}]$/u, DELIMITER_EXPECTED)),
    ),
    reportFormat: z._default(text('a format such as "CSV"'), REPORT_REQUEST_DEFAULTS.reportFormat),
    configurationReportParameters: parameters(),
    inputReportParameters: parameters(),
    outputReportParameters: listOf(
      z.union([z.string(), inputParameterSchema], `a column name, or ${PARAMETER_EXPECTED}`),
      'objects or column names',
      REQUEST_LIMITS.parametersMax,
    ),
    filters: z._default(
      filtersSchema,
      forEachFilter(() => []),
    ),
  },
  'a JSON object',
)

/** A report request. {@link REPORT_REQUEST_DEFAULTS} has its default values. */
export type ReportRequest = ValueOf<typeof reportRequestSchema>

/** An element of `inputReportParameters`. Every value is a string, and `type` is usually one of {@link INPUT_TYPES}. */
export type InputParameter = ValueOf<typeof inputParameterSchema>

/** Drops the optional members of a request that are null or an empty text, and titles of columns that are null. */
export function dropBlank(json: unknown): unknown {
  const { reportIdentifier: _, ...optional } = reportRequestSchema.shape
  const request = without(json, Object.keys(optional), [null, ''])
  if (!isObject(request)) return request
  const { filters, outputReportParameters: columns } = request
  return {
    ...request,
    ...(filters !== undefined && { filters: without(filters, FILTER_NAMES, [null]) }),
    ...(Array.isArray(columns) && {
      outputReportParameters: columns.map((column: unknown) => {
        return isObject(column) && column['value'] === null ? { ...column, value: '' } : column
      }),
    }),
  }
}

function without(json: unknown, names: readonly string[], blank: readonly unknown[]): unknown {
  if (!isObject(json)) return json
  const kept = Object.entries(json).filter(([name, value]) => {
    return !names.includes(name) || !blank.includes(value)
  })
  return Object.fromEntries(kept)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
