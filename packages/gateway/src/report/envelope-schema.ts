import { FILTER_NAMES, type FilterName, REPORT_REQUEST_DEFAULTS } from '@counterfoil/protocol'
import * as z from 'zod'
import { LIMITS } from '../limits.ts'

/** The OpenAPI document shows what is expected as the description. */
const text = (expected: string): z.ZodString => {
  return z.string({ error: expected }).meta({ description: expected })
}

/** The shape of a parameter. */
export const inputParameter = z.strictObject(
  {
    type: text('a text such as "INPUT_TEXT"'),
    name: text('the name of a parameter').min(1, 'the name of a parameter'),
    value: text('a text: send every value as text'),
  },
  { error: unlessUnknownName('an object of "type", "name" and "value"') },
)

const listOf = <Element extends z.ZodType>(element: Element, of: string, lengthMax: number) => {
  return z
    .array(element, { error: `an array of ${of}` })
    .max(lengthMax, `at most ${lengthMax} elements`)
    .default([])
}

const parameters = listOf(inputParameter, 'objects', LIMITS.parametersMax)
const DELIMITER_EXPECTED = 'one character other than a double quote, CR, LF and NUL'
const ID_EXPECTED = 'an id: a whole number, or a string of 1 to 18 digits; or an object with "id"'

/** The id of a filter's element: the element, or the `id` of an object as the catalogue lists it. */
function idOf(element: unknown): unknown {
  if (typeof element !== 'object' || element === null || !('id' in element)) return element
  const isKnown = Object.keys(element).every((member) => member === 'id' || member === 'name')
  return isKnown ? element.id : undefined
}

/**
 * The schema of a filter's values. A loop is faster than a schema for each of up to 80,000 values.
 *
 * @param described the JSON Schema of an id, which says the same as `read`
 */
const valuesOf = (
  of: string,
  expected: string,
  described: Readonly<Record<string, unknown>>,
  read: (value: unknown) => string | undefined,
) => {
  return z
    .array(z.unknown().meta({ anyOf: [described, objectWith(described)], description: expected }), {
      error: `an array of ${of}`,
    })
    .max(LIMITS.filterValuesMax, `at most ${LIMITS.filterValuesMax} elements`)
    .transform((values, context) => {
      return values.map((value, index) => {
        const id = read(idOf(value))
        if (id === undefined) {
          context.issues.push({ code: 'custom', message: expected, path: [index], input: value })
        }
        return id ?? ''
      })
    })
    .default([])
}

function objectWith(id: Readonly<Record<string, unknown>>) {
  const properties = { id, name: { type: 'string' } }
  return { type: 'object', properties, required: ['id'], additionalProperties: false }
}

const DESCRIBED_ID = {
  type: ['integer', 'string'],
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  pattern: String.raw`^\d{1,18}$`,
}
const ids = valuesOf('ids', ID_EXPECTED, DESCRIBED_ID, (value) => {
  if (typeof value === 'string' && /^\d{1,18}$/.test(value)) return value
  return Number.isSafeInteger(value) && Number(value) >= 0 ? String(value) : undefined
})
const CURRENCY_EXPECTED = 'a currency code such as "EUR"; or an object with "id"'
const DESCRIBED_CURRENCY = { type: 'string', pattern: '^[A-Z]{3}$' }
const currencies = valuesOf('currency codes', CURRENCY_EXPECTED, DESCRIBED_CURRENCY, (value) => {
  return typeof value === 'string' && /^[A-Z]{3}$/.test(value) ? value : undefined
})
const filters = z
  .strictObject(
    {
      gates: ids,
      companies: ids,
      projects: ids,
      endpoints: ids,
      merchants: ids,
      processors: ids,
      managers: ids,
      resellers: ids,
      currencies,
    } satisfies Record<FilterName, z.ZodType>,
    { error: unlessUnknownName(`an object of ${FILTER_NAMES.join(', ')}`) },
  )
  .prefault({})

/** The shape of a report request. Each message continues a sentence that begins with `expected`. */
export const envelopeSchema = z.strictObject(
  {
    reportIdentifier: text('the identifier of a report').min(1, 'the identifier of a report'),
    reportEncode: text('an encoding such as "UTF-8"').default(REPORT_REQUEST_DEFAULTS.reportEncode),
    reportName: text('a name')
      .max(LIMITS.reportNameLengthMax, `at most ${LIMITS.reportNameLengthMax} characters`)
      .optional(),
    reportCsvDelimiter: text(DELIMITER_EXPECTED)
      .regex(/^[^"\r\n\0\p{Cs}]$/u, DELIMITER_EXPECTED)
      .optional(),
    reportFormat: text('a format such as "CSV"').default(REPORT_REQUEST_DEFAULTS.reportFormat),
    configurationReportParameters: parameters,
    inputReportParameters: parameters,
    outputReportParameters: listOf(
      z.union([z.string(), inputParameter], {
        error: 'a column name, or an object of "type", "name" and "value"',
      }),
      'objects or column names',
      LIMITS.parametersMax,
    ),
    filters,
  },
  { error: unlessUnknownName('a JSON object') },
)

/** Returns the message for an object. Unknown members get a message each, so they need none here. */
function unlessUnknownName(expected: string) {
  return (issue: { readonly code?: string }): string | undefined => {
    return issue.code === 'unrecognized_keys' ? undefined : expected
  }
}
