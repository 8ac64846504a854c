import type { Catalogue } from '@counterfoil/protocol'
import { expect, test } from 'vitest'
import { typesOf } from './types-of.ts'

const CATALOGUE: Catalogue = {
  login: 'shop\nimport "evil"',
  role: 'merchant',
  reports: [
    {
      reportIdentifier: `it's "a\\list"`,
      title: 'A list */ import "evil" /*',
      description: '',
      formats: ['JSONL'],
      encodings: [],
      columns: [
        { name: 'Id', kind: 'id', about: 'the\u2028id */', optional: false },
        { name: 'Count', kind: 'integer', about: 'how many', optional: true },
      ],
      schemaHash: '0f5e',
      inputReportParameters: [
        parameter('dateFrom', { type: 'INPUT_DATETIME', required: true }),
        parameter('limit', { type: 'INPUT_NUMBER' }),
        parameter('isBold', { type: 'INPUT_BOOLEAN' }),
        parameter('kinds', { list: true, allowed: ['a', "b'"] }),
        parameter('timezone', { allowed: 'IANA time zones' }),
      ],
      configurationReportParameters: [],
      filters: [],
      currencyFilter: 'transaction',
      example: { reportIdentifier: 'list' },
    },
  ],
}

function parameter(
  name: string,
  change: Partial<Catalogue['reports'][number]['inputReportParameters'][number]>,
) {
  const type = 'INPUT_SELECT' as const
  return { name, title: `The ${name}`, type, required: false, list: false, ...change }
}

test('writes types of parameters and columns, and lets no text out of its comment', () => {
  expect(
    typesOf(CATALOGUE),
  ).toBe(`// The reports of the login shop import "evil". To update this file, run \`counterfoil types\` again.
import type {} from '@counterfoil/client'

declare module '@counterfoil/client' {
  interface Reports {
    /** A list * / import "evil" /*. Schema 0f5e. */
    'it\\'s "a\\\\list"': {
      parameters: {
        /** The dateFrom */
        'dateFrom': string
        /** The limit */
        'limit'?: number | string | undefined
        /** The isBold */
        'isBold'?: boolean | undefined
        /** The kinds */
        'kinds'?: readonly ('a' | 'b\\'')[] | undefined
        /** The timezone */
        'timezone'?: string | undefined
      }
      columns: {
        /** the id * / */
        'Id': string | null
      }
      optional: {
        /** how many */
        'Count': number | null
      }
    }
  }
}
`)
})
