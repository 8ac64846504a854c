import {
  OPERATIONS,
  REFUSAL_JSON_MEDIA_TYPE,
  REFUSAL_MEDIA_TYPE,
  reportRequestSchema,
} from '@counterfoil/protocol'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import {
  FAULTY_ENVELOPES,
  faultyEnvelope,
} from '../../test/authentication/faulty-envelopes.cases.ts'
import { VALID_FORMS } from '../../../protocol/src/payments/valid-forms.cases.ts'
import type { Config } from '../config/config.ts'
import { configSchema } from '../config/schema.ts'
import { describeApi, formSchema } from './describe-api.ts'
import { REPORT_REQUESTS } from './examples.ts'

const CONFIG = {
  environment: 'production',
  publicUrl: 'https://gateway.example',
  reportPath: '/rpt',
  dataDir: '/data',
  reports: '/reports',
  masterKeys: [{ version: 1, file: '/master.key' }],
}

function documentOf(change: object = {}) {
  const config: Config = { ...configSchema.parse({ ...CONFIG, ...change }), file: 'gateway.yaml' }
  return Object(describeApi(config, [], '/openapi'))
}

describe('a gateway in production', () => {
  test('has no form operations', () => {
    const { paths, servers } = documentOf()
    expect(Object.keys(paths).filter((path) => path.includes('{endpointId}'))).toEqual([])
    expect(servers).toEqual([{ url: 'https://gateway.example', description: 'the production' }])
  })

  test('has refusals with the configured status', () => {
    const responsesOf = (change: object) => documentOf(change).paths['/rpt'].post.responses
    const usual = responsesOf({})
    expect(Object.keys(usual[200].content)).toContain('text/plain')
    expect(usual).not.toHaveProperty('403')
    const configured = responsesOf({ refusalStatus: 403 })
    expect(Object.keys(configured[200].content)).not.toContain('text/plain')
    expect(configured[403]).toEqual({ $ref: '#/components/responses/Refusal' })
    const { Refusal: refusal } = documentOf({ refusalStatus: 403 }).components.responses
    expect(Object.keys(refusal.content)).toEqual([REFUSAL_MEDIA_TYPE, REFUSAL_JSON_MEDIA_TYPE])
  })
})

test('the schema of a report request refuses what the gateway refuses', () => {
  const { components } = documentOf()
  const ajv = new Ajv2020({ strict: false }).addSchema({ $id: 'document', components })
  const accepts = ajv.compile({ $ref: 'document#/components/schemas/ReportRequest' })
  const requests = FAULTY_ENVELOPES.map(([, , member]) => JSON.parse(faultyEnvelope(member)))
  const verdicts = requests.map((request) => [request, accepts(request)])
  expect(verdicts).toEqual(
    requests.map((request) => [request, reportRequestSchema.safeParse(request).success]),
  )
  expect(verdicts.filter(([, isAccepted]) => !isAccepted).length).toBeGreaterThan(20)
  expect(Object.values(REPORT_REQUESTS).filter((request) => !accepts(request))).toEqual([])
})

describe.each(Object.values(OPERATIONS))('the schema of the form of $name', (operation) => {
  const accepts = new Ajv2020({ strict: false }).compile(formSchema(operation))
  const forms = VALID_FORMS[operation.name]

  test('accepts valid forms', () => {
    expect(forms.filter((form) => !accepts(form))).toEqual([])
  })

  test('refuses a form without a field that it needs', () => {
    const needed = operation.choices.filter(({ required }) => required)
    for (const { alternatives } of needed) {
      const names = alternatives.map(({ field }) => field)
      const form = Object.entries(forms[0] ?? {}).filter(([name]) => !names.includes(name))
      expect([names, accepts(Object.fromEntries(form))]).toEqual([names, false])
    }
    const { client_orderid: _, ...others } = forms[0] ?? {}
    expect(accepts(others)).toBe(false)
    expect(accepts({ ...forms[0], unknown: '1' })).toBe(false)
  })
})
