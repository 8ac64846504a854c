import { FILTER_NAMES } from '@counterfoil/protocol'
import { describe, expect, test } from 'vitest'
import { LIMITS } from '../limits.ts'
import { dropMembers } from './drop-members.ts'

const COUNT = 100_000
/** Members that no object of the envelope has. */
const UNKNOWN = Object.fromEntries(Array.from({ length: COUNT }, (_, at) => [`unknown${at}`, 1]))
const PARAMETER = { type: 'INPUT_TEXT', name: 'dateFrom', value: '2026-10-01' }
const FILTERS = Object.fromEntries(FILTER_NAMES.map((name) => [name, ['1']]))

/** Counts the members of an object that `dropMembers` kept. */
function countOf(value: unknown): number {
  return Object.keys(Object(value)).length
}

describe('dropMembers', () => {
  test('keeps the known members of an object with very many, and counts what it drops', () => {
    const known = { reportIdentifier: 'list', filters: FILTERS, inputReportParameters: [PARAMETER] }
    const { json, dropped } = dropMembers({ ...UNKNOWN, ...known })
    expect(json).toMatchObject(known)
    expect(countOf(json)).toBeLessThanOrEqual(2 * LIMITS.faultsShownMax + countOf(known))
    expect(dropped).toBe(COUNT + countOf(known) - countOf(json))
  })

  const listed = { ...UNKNOWN, ...PARAMETER }
  test.each<[string, object, object]>([
    ['the filters', FILTERS, { filters: { ...UNKNOWN, ...FILTERS } }],
    ...['inputReportParameters', 'configurationReportParameters', 'outputReportParameters'].map(
      (member): [string, object, object] => [
        `an element of ${member}`,
        PARAMETER,
        { [member]: [listed] },
      ],
    ),
  ])('drops members of %s too', (_, known, envelope) => {
    const { json, dropped } = dropMembers(envelope)
    const [value] = Object.values(Object(json))
    const trimmed: unknown = Array.isArray(value) ? value[0] : value
    expect(trimmed).toMatchObject(known)
    expect(countOf(trimmed)).toBeLessThanOrEqual(2 * LIMITS.faultsShownMax + countOf(known))
    expect(dropped).toBe(COUNT + countOf(known) - countOf(trimmed))
  })

  test('leaves every member of other objects, and every value that is no object', () => {
    const members = Object.entries(UNKNOWN).slice(0, 2 * LIMITS.faultsShownMax)
    for (const json of [Object.fromEntries(members), [1], 'text', null, 1]) {
      expect(dropMembers(json)).toEqual({ json, dropped: 0 })
    }
  })
})
