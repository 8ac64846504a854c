import { expect } from 'vitest'
import type * as z from 'zod'
import type { Role } from '../../src/store/store.ts'
import { ask } from '../kit/ask.ts'
import { catalogueSchema } from '../kit/catalogue-schemas.ts'
import type { RunningGateway } from '../kit/running-gateway.ts'

type Catalogue = z.output<typeof catalogueSchema>

/** Reads the catalogue of the login of a role. */
export async function readCatalogue(
  { sandbox, reportUrl }: RunningGateway,
  role: Role,
  body: string | object = {},
): Promise<Catalogue> {
  const asked = { sandbox, reportUrl: `${reportUrl}/catalogue` }
  const answer = await ask(asked, sandbox.logins[role], body)
  expect(answer.status).toBe(200)
  expect(answer.headers['content-type']).toBe('application/json')
  return catalogueSchema.parse(JSON.parse(answer.text))
}

/** Sends the examples of some reports, and expects each to be answered with the default columns. */
export async function expectExamples(
  gateway: RunningGateway,
  role: Role,
  reports: Catalogue['reports'],
): Promise<void> {
  for (const { example, columns } of reports) {
    const answer = await ask(gateway, gateway.sandbox.logins[role], example)
    expect([example.reportIdentifier, answer.status, answer.headers['content-type']]).toEqual([
      example.reportIdentifier,
      200,
      'text/csv; charset=UTF-8',
    ])
    const titles = columns.filter(({ optional }) => !optional).map(({ name }) => `"${name}"`)
    expect(answer.text.split('\r\n')[0]).toBe(titles.join(','))
  }
}
