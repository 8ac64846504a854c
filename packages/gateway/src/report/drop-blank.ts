import { FILTER_NAMES } from '@counterfoil/protocol'

/** The members of the envelope that may be null, which means that they are not set. */
const NULLABLE = [
  'reportEncode',
  'reportName',
  'reportCsvDelimiter',
  'reportFormat',
  'configurationReportParameters',
  'inputReportParameters',
  'outputReportParameters',
  'filters',
] as const

/** Drops the optional members of a request that are null or an empty text: they are not set. */
export function dropBlank(json: unknown): unknown {
  const envelope = without(json, NULLABLE, [null, ''])
  if (!isObject(envelope) || !Object.hasOwn(envelope, 'filters')) return envelope
  return { ...envelope, filters: without(envelope['filters'], FILTER_NAMES, [null]) }
}

function without(json: unknown, names: readonly string[], blank: readonly unknown[]): unknown {
  if (!isObject(json)) return json
  const isBlank = (name: string) => Object.hasOwn(json, name) && blank.includes(json[name])
  const dropped = names.filter(isBlank)
  if (dropped.length === 0) return json
  return Object.fromEntries(Object.entries(json).filter(([name]) => !dropped.includes(name)))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
