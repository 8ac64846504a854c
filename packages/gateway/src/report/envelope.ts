import {
  FILTER_NAMES,
  type FilterName,
  INPUT_TYPES,
  type InputParameter,
  type ProblemFault,
  REPORT_REQUEST_DEFAULTS,
} from '@counterfoil/protocol'
import * as z from 'zod'
import { nearestName } from '../config/nearest-name.ts'
import { fieldProblem, GatewayError } from '../errors.ts'
import { LIMITS } from '../limits.ts'

/** A report request with everything that it left out filled in. */
export interface Envelope {
  readonly reportIdentifier: string
  readonly reportEncode: string
  readonly reportName: string
  readonly reportCsvDelimiter: string
  readonly reportFormat: string
  readonly configurationReportParameters: readonly InputParameter[]
  readonly inputReportParameters: readonly InputParameter[]
  readonly outputReportParameters: readonly (InputParameter | string)[]
  /** Ids as text; empty where everything in scope is meant. */
  readonly filters: Readonly<Record<FilterName, readonly string[]>>
}

const text = (expected: string): z.ZodString => z.string({ error: expected })

const inputParameter = z.strictObject(
  {
    type: z.enum(INPUT_TYPES, { error: `one of ${INPUT_TYPES.join(', ')}` }),
    name: text('the name of a parameter').min(1, 'the name of a parameter'),
    value: text('a text: every value travels as text'),
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
const DELIMITER_EXPECTED = 'one ASCII character other than a double quote, CR and LF'
const ID_EXPECTED = 'an id: a whole number, or one as a string of 1 to 18 digits'

/** The values of a filter. A loop of our own: there may be 80,000 of them in a request. */
const valuesOf = (of: string, expected: string, read: (value: unknown) => string | undefined) => {
  return z
    .array(z.unknown(), { error: `an array of ${of}` })
    .max(LIMITS.filterValuesMax, `at most ${LIMITS.filterValuesMax} elements`)
    .transform((values, context) => {
      return values.map((value, index) => {
        const id = read(value)
        if (id === undefined) {
          context.issues.push({ code: 'custom', message: expected, path: [index], input: value })
        }
        return id ?? ''
      })
    })
    .default([])
}

const ids = valuesOf('ids', ID_EXPECTED, (value) => {
  if (typeof value === 'string' && /^\d{1,18}$/.test(value)) return value
  return Number.isSafeInteger(value) && Number(value) >= 0 ? String(value) : undefined
})
const currencies = valuesOf('currency codes', 'a currency code as "EUR"', (value) => {
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

const envelopeSchema = z.strictObject(
  {
    reportIdentifier: text('the identifier of a report').min(1, 'the identifier of a report'),
    reportEncode: text('an encoding as "UTF-8"').default(REPORT_REQUEST_DEFAULTS.reportEncode),
    reportName: text('a name')
      .max(LIMITS.reportNameLengthMax, `at most ${LIMITS.reportNameLengthMax} characters`)
      .optional(),
    reportCsvDelimiter: z
      .string({ error: DELIMITER_EXPECTED })
      .regex(/^[^"\r\n\u0080-\uffff]$/, DELIMITER_EXPECTED)
      .default(REPORT_REQUEST_DEFAULTS.reportCsvDelimiter),
    reportFormat: text('a format as "CSV"').default(REPORT_REQUEST_DEFAULTS.reportFormat),
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

/**
 * Parses a report request (specification, "Report request"; design: every gap's default in docs/protocol.md).
 * Throws `malformed-json`, or `invalid-field` with the faults that were found.
 */
export function parseEnvelope(body: Uint8Array): Envelope {
  const { json, dropped } = dropMembers(parseJson(body))
  const parsed = envelopeSchema.safeParse(json)
  if (!parsed.success) {
    const { issues } = parsed.error
    throw fieldProblem('invalid-field', firstFaults(issues, json), countFaults(issues) + dropped)
  }
  const { reportName, ...envelope } = parsed.data
  return { ...envelope, reportName: reportName ?? envelope.reportIdentifier }
}

/** Checks the body of a request that has nothing to say: nothing at all, or `{}`. Throws as `parseEnvelope` does. */
export function parseEmptyObject(body: Uint8Array): void {
  if (body.length === 0) return
  const parsed = z.strictObject({}).safeParse(parseJson(body))
  if (parsed.success) return
  throw fieldProblem('invalid-field', [{ pointer: '', expected: 'an empty object, or no body' }])
}

/** Leaves out what the decoder and the parser say: they quote the body, which belongs in no log. */
function parseJson(body: Uint8Array): unknown {
  let json: string
  try {
    json = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw new GatewayError('malformed-json', 'expected a JSON object in UTF-8')
  }
  if (json.trim() === '') {
    throw new GatewayError('malformed-json', 'expected a JSON object, got an empty body')
  }
  try {
    return JSON.parse(json)
  } catch (error) {
    const said = error instanceof Error ? error.message : ''
    const where = / at position \d+ \(line \d+ column \d+\)$/.exec(said)?.[0]
    const hint = where === undefined ? '' : `; what came breaks${where}`
    throw new GatewayError('malformed-json', `expected a well-formed JSON object${hint}`)
  }
}

/** Members beyond this number are certain to be unknown: the envelope's objects have ten at most. */
const MEMBERS_MAX = 2 * LIMITS.faultsToldMax

/**
 * Leaves out most of the members of objects that have far too many: checking each of 100,000 would take a while.
 * Those that the envelope knows, and enough others to tell, stay.
 */
function dropMembers(json: unknown): { readonly json: unknown; readonly dropped: number } {
  let dropped = 0
  const trim = (value: unknown, known: readonly string[]): unknown => {
    if (!isObject(value)) return value
    const names = Object.keys(value)
    if (names.length <= MEMBERS_MAX) return value
    const kept = [
      ...names.slice(0, MEMBERS_MAX),
      ...known.filter((name) => Object.hasOwn(value, name)),
    ]
    const trimmed = Object.fromEntries(kept.map((name) => [name, value[name]]))
    dropped += names.length - Object.keys(trimmed).length
    return trimmed
  }
  const envelope = trim(json, Object.keys(envelopeSchema.shape))
  if (!isObject(envelope)) return { json: envelope, dropped }
  const members = Object.entries(envelope).map(([name, value]) => {
    if (name === 'filters') return [name, trim(value, FILTER_NAMES)]
    if (!Array.isArray(value) || value.length > LIMITS.parametersMax) return [name, value]
    return [name, value.map((one) => trim(one, Object.keys(inputParameter.shape)))]
  })
  return { json: Object.fromEntries(members), dropped }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Describes the first faults only: describing one takes time, and a request may hold 100,000. */
function firstFaults(issues: readonly z.core.$ZodIssue[], json: unknown): readonly ProblemFault[] {
  const first: ProblemFault[] = []
  for (const issue of issues) {
    if (first.length >= LIMITS.faultsToldMax) break
    first.push(...describe(issue, json))
  }
  return first
}

function countFaults(issues: readonly z.core.$ZodIssue[]): number {
  const counts = issues.map((issue) => {
    return issue.code === 'unrecognized_keys' ? issue.keys.length : 1
  })
  return counts.reduce((sum, count) => sum + count, 0)
}

function describe(issue: z.core.$ZodIssue, json: unknown): readonly ProblemFault[] {
  if (issue.code === 'unrecognized_keys') {
    const known = knownNames(issue.path)
    return issue.keys.slice(0, LIMITS.faultsToldMax).map((key) => ({
      pointer: pointerOf([...issue.path, key]),
      expected: expectedName(key, known),
    }))
  }
  const got = isNullAt(json, issue.path) ? gotNull(issue.path) : ''
  return [{ pointer: pointerOf(issue.path), expected: `${issue.message}${got}` }]
}

/** Whether a path leads to a member or an element that is null. */
function isNullAt(json: unknown, path: readonly PropertyKey[]): boolean {
  const value = path.reduce<unknown>((parent, step) => {
    return typeof parent === 'object' && parent !== null ? Reflect.get(parent, step) : undefined
  }, json)
  return path.length > 0 && value === null
}

/** How an error about null ends: a member that has a default may be left out. */
function gotNull(path: readonly PropertyKey[]): string {
  const isMember = path.length === 1 || (path.length === 2 && path[0] === 'filters')
  const isOptional = isMember && path[0] !== 'reportIdentifier'
  return isOptional ? ', got null: leave the member out' : ', got null'
}

/** The members of the object at a path: of the envelope itself, of the filters, or of a parameter. */
function knownNames([member]: readonly PropertyKey[]): readonly string[] {
  if (member === undefined) return Object.keys(envelopeSchema.shape)
  return member === 'filters' ? FILTER_NAMES : Object.keys(inputParameter.shape)
}

function expectedName(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known)
  const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`
  return `no such member, but ${known.join(', ')}${hint}`
}

/** Characters of a member's name that a pointer shows. */
const NAME_LENGTH_MAX = 100

/** A path as a JSON pointer (RFC 6901); very long names are cut. */
function pointerOf(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => {
    const name = String(step)
    const shown = name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX)}…` : name
    return `/${shown.replaceAll('~', '~0').replaceAll('/', '~1')}`
  })
  return steps.join('')
}

/** The message of an object, but for members that it does not know: those are named one by one. */
function unlessUnknownName(expected: string) {
  return (issue: { readonly code?: string }): string | undefined => {
    return issue.code === 'unrecognized_keys' ? undefined : expected
  }
}
