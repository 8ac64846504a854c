import { FILTER_NAMES, type ProblemFault, type ReportRequest } from '@counterfoil/protocol'

/** A request, or the faults of a text that is none. */
export type ReadDraft =
  | { readonly request: ReportRequest }
  | { readonly faults: readonly ProblemFault[] }

type Check = (value: unknown, pointer: string) => readonly ProblemFault[]

const TEXTS = [
  'reportIdentifier',
  'reportEncode',
  'reportName',
  'reportCsvDelimiter',
  'reportFormat',
] as const

/** The members of a request, and how to check the shape of each. The gateway checks the values. */
const MEMBERS: Readonly<Record<string, Check>> = {
  ...Object.fromEntries(TEXTS.map((name) => [name, checkText])),
  configurationReportParameters: listOf(checkParameter),
  inputReportParameters: listOf(checkParameter),
  outputReportParameters: listOf((value, pointer) => {
    return typeof value === 'string' ? [] : checkParameter(value, pointer)
  }),
  filters: objectOf(
    Object.fromEntries(FILTER_NAMES.map((name) => [name, listOf(checkFilterValue)])),
  ),
}

const PARAMETER: Readonly<Record<string, Check>> = {
  type: checkText,
  name: checkText,
  value: checkText,
}

/** Reads a request from JSON. Its faults have the pointers that the gateway's have. */
export function readDraft(text: string): ReadDraft {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : ''
    return { faults: [{ pointer: '', expected: `JSON: ${reason}` }] }
  }
  const faults = objectOf(MEMBERS, ['reportIdentifier'])(value, '')
  // The checks are those of the type.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return faults.length > 0 ? { faults } : { request: value as ReportRequest }
}

function objectOf(
  members: Readonly<Record<string, Check>>,
  required: readonly string[] = [],
): Check {
  return (value, pointer) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return [{ pointer, expected: `an object of ${Object.keys(members).join(', ')}` }]
    }
    const missing = required.filter((name) => !Object.hasOwn(value, name))
    return [
      ...missing.map((name) => ({ pointer: `${pointer}/${name}`, expected: 'this member' })),
      ...Object.entries(value).flatMap(([name, member]) => {
        const check = Object.hasOwn(members, name) ? members[name] : undefined
        const at = `${pointer}/${name}`
        if (check) return check(member, at)
        return [{ pointer: at, expected: `one of ${Object.keys(members).join(', ')}` }]
      }),
    ]
  }
}

function listOf(check: Check): Check {
  return (value, pointer) => {
    if (!Array.isArray(value)) return [{ pointer, expected: 'an array' }]
    return value.flatMap((element, index) => check(element, `${pointer}/${index}`))
  }
}

function checkParameter(value: unknown, pointer: string): readonly ProblemFault[] {
  return objectOf(PARAMETER, ['type', 'name', 'value'])(value, pointer)
}

function checkText(value: unknown, pointer: string): readonly ProblemFault[] {
  return typeof value === 'string' ? [] : [{ pointer, expected: 'a text' }]
}

function checkFilterValue(value: unknown, pointer: string): readonly ProblemFault[] {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : value
  const isValue = typeof id === 'string' || typeof id === 'number'
  return isValue ? [] : [{ pointer, expected: 'an id or a currency code' }]
}
