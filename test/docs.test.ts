import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  FILTER_NAMES,
  formBytesMax,
  INPUT_TYPES,
  OPERATION_ERRORS,
  OPERATIONS,
  REPORT_REQUEST_DEFAULTS,
} from '@counterfoil/protocol'
import { MISTAKES, type VerificationStep } from '@counterfoil/signing'
import { describe, expect, test } from 'vitest'
import { refusalMessage } from '../packages/gateway/src/authenticate/refusal-message.ts'
import { readYaml } from '../packages/common/src/read-yaml.ts'
import { PROBLEMS } from '../packages/common/src/errors.ts'
import { LIMITS } from '../packages/common/src/limits.ts'
import { LEDGER_TABLES } from '../packages/ledger/src/model/model.ts'
import type { RequestSummary } from '../packages/gateway/src/observe/request-summary.ts'
import { CONFIGURATION_PARAMETERS } from '../packages/gateway/src/report/configuration.ts'
import { templateSchema } from '../packages/templates/src/template/template.ts'
import manifest from '../package.json' with { type: 'json' }
import { repositoryFiles } from '../scripts/repository-files.ts'
import { reportRequestSchema } from '../packages/protocol/src/report-request.ts'
import { COLUMN_KINDS } from '../packages/engine/src/dialect/column-kinds.ts'

const ROOT = join(import.meta.dirname, '..')

// Types do not exist at run time. These tables do not compile unless they have every name.
const STEPS: Readonly<Record<VerificationStep, true>> = {
  header: true,
  parameters: true,
  timestamp: true,
  nonce: true,
  consumer: true,
  'body-hash': true,
  signature: true,
}
const LOGGED: Readonly<Record<Exclude<keyof RequestSummary, 'route' | 'wasCut'>, true>> = {
  requestId: true,
  method: true,
  path: true,
  status: true,
  durationMs: true,
  outcome: true,
  code: true,
  step: true,
  login: true,
  viewSession: true,
  keyId: true,
  fingerprint: true,
  report: true,
  format: true,
  rows: true,
  bytes: true,
  firstByteMs: true,
  operation: true,
  serialNumber: true,
  traceId: true,
}

describe('docs/errors.md', () => {
  const errors = read('docs/errors.md')

  test('shows a refusal as the gateway writes it', () => {
    const [, shown = ''] =
      /^```\n(You are [^`]*\nStep that failed: signature\n[^`]*)```$/m.exec(errors) ?? []
    const [, requestId = ''] = /^Request id: (.*)$/m.exec(shown) ?? []
    const [, reason = ''] = /^Reason: (.*)$/m.exec(shown) ?? []
    const [baseString = ''] = /^POST&.*$/m.exec(shown) ?? []
    const [step, code] = ['signature', 'signature-mismatch'] as const
    const refused = { ok: false, step, code, reason, expected: reason, baseString } as const
    const mistake = MISTAKES.find((one) => shown.includes(`(${one.code})\n`))
    const diagnosis = { outcome: 'mistake', ...(mistake && { mistake }) } as const
    expect(refusalMessage(requestId, { refused, diagnosis })).toBe(shown)
    const [, ...named] = shown.split('\n').slice(0, 4)
    expect(read('docs/sandbox.md')).toContain(`\n${named.join('\n')}\n`)
  })

  test('lists exactly the problems, with their status', () => {
    const rows = table(errors, 'Code | Status').map(([code, status]) => [code, Number(status)])
    expect(Object.fromEntries(rows)).toEqual(
      Object.fromEntries(Object.entries(PROBLEMS).map(([code, { status }]) => [code, status])),
    )
    expect(rows).toHaveLength(Object.keys(PROBLEMS).length)
  })

  test('lists exactly the errors of the form operations, with their name, type and status', () => {
    const rows = table(errors, 'Error | In the log').map(([code, name = '']) => {
      // The page says so in two sentences.
      const type = Number(code) < 200 ? 'validation-error' : 'error'
      const status = type === 'validation-error' ? 422 : code === '202' ? 503 : 500
      return [name, { code: Number(code), type, status }]
    })
    expect(Object.fromEntries(rows)).toEqual(
      Object.fromEntries(
        Object.entries(OPERATION_ERRORS).map(([name, { code, type, status }]) => {
          return [name, { code, type, status }]
        }),
      ),
    )
    expect(errors).toContain('below 200 are a `validation-error` with status 422')
    expect(errors).toMatch(/The others are an `error` with\sstatus 500, or 503 for error 202/)
  })

  test('lists exactly the steps of verification, in order', () => {
    expect(firstCells(errors, 'Step')).toEqual(Object.keys(STEPS))
  })
})

describe('docs/protocol.md', () => {
  const protocol = read('docs/protocol.md')

  test('lists exactly the members of a report request', () => {
    expect(firstCells(protocol, 'Member')).toEqual(Object.keys(reportRequestSchema.shape))
  })

  test('has the real defaults', () => {
    const fallbacks = new Map(
      table(protocol, 'Member').map(([name, , fallback]) => [name, fallback]),
    )
    for (const [name, fallback] of Object.entries(REPORT_REQUEST_DEFAULTS)) {
      expect([name, fallbacks.get(name)]).toEqual([name, fallback])
    }
  })

  test('lists exactly the types of input', () => {
    expect(firstCells(protocol, 'Type | Value')).toEqual([...INPUT_TYPES])
  })

  test('names every filter', () => {
    const filters = section(protocol, '### Filters')
    expect(FILTER_NAMES.filter((name) => !filters.includes(`\`${name}\``))).toEqual([])
  })

  test('lists exactly the parameters of the configuration, with their values and the default first', () => {
    const rows = table(protocol, 'Configuration | Values').map(([name, values]) => [name, values])
    const parameters = CONFIGURATION_PARAMETERS.map(({ name, allowed = [] }) => {
      if (name === 'spreadsheet') return [name, 'a locale, such as de-DE']
      return [name, allowed === 'timezones' ? 'UTC, any IANA time zone' : allowed.join(', ')]
    })
    expect(rows).toEqual(parameters)
    for (const { name, allowed, default: usual } of CONFIGURATION_PARAMETERS) {
      if (name === 'spreadsheet') continue
      expect(allowed === 'timezones' ? 'UTC' : allowed?.[0]).toBe(usual)
    }
  })
})

describe('docs/templates.md', () => {
  const templates = read('docs/templates.md')

  test('lists exactly the members of a report file', () => {
    const members = firstCells(templates, 'Member | Type')
    expect(members.toSorted()).toEqual(Object.keys(templateSchema.shape).toSorted())
  })

  test('lists exactly the members of a parameter and of a column', () => {
    const { parameters, columns } = templateSchema.shape
    expect(firstCells(templates, 'Member | Default').toSorted()).toEqual(
      namesOf(parameters.unwrap().element),
    )
    expect(firstCells(templates, 'Member | Meaning').toSorted()).toEqual(namesOf(columns.element))
  })

  test('lists exactly the members of a period, of its axes and of totals', () => {
    const period = templateSchema.shape.period.unwrap()
    const members = (of: string) => firstCells(templates, `Member of ${of} | Meaning`).toSorted()
    expect(members('`period`')).toEqual(namesOf(period))
    expect(members('an axis')).toEqual(namesOf(period.shape.axes.valueType))
    expect(members('`totals`')).toEqual(namesOf(templateSchema.shape.totals.unwrap()))
  })

  test('names every table of the ledger', () => {
    const ledger = section(templates, '## The ledger')
    const tables = Object.keys(LEDGER_TABLES)
    expect(tables.filter((name) => !ledger.includes(`\`${name}\``))).toEqual([])
  })

  test('has the names that a parameter may not have', () => {
    for (const taken of ['now', 'timezone', 'dateFrom', 'dateTo', 'dateAxis']) {
      const parameters = [{ name: taken, title: 'x', type: 'INPUT_TEXT' }]
      expect(templateSchema.shape.parameters.safeParse(parameters).success).toBe(false)
      expect(templates).toContain(`\`${taken}\``)
    }
  })

  test('lists exactly the kinds of columns', () => {
    expect(firstCells(templates, '`kind` | Printed as')).toEqual([...COLUMN_KINDS])
  })
})

test.each([
  'README.md',
  'CONTRIBUTING.md',
  ...repositoryFiles(ROOT, 'docs/**/*.md').filter((file) => !isReplaced(file)),
])('every source file that %s names exists', (page) => {
  const files = ['packages', 'bench', 'scripts', 'test', 'examples']
    .flatMap((folder) => {
      return repositoryFiles(join(ROOT, folder), '**/*.ts').map((file) => `/${folder}/${file}`)
    })
    .concat(repositoryFiles(ROOT, '*.ts').map((file) => `/${file}`))
  const named = [...read(page).matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = '']) => name)
  expect(named.filter((name) => !files.some((file) => file.endsWith(`/${name}`)))).toEqual([])
})

test('docs/decisions/README.md lists every decision', () => {
  const files = repositoryFiles(join(ROOT, 'docs/decisions'), '[0-9]*.md')
  const list = read('docs/decisions/README.md')
  expect(files.length).toBeGreaterThan(0)
  expect(files.filter((file) => !list.includes(`(${file})`))).toEqual([])
})

test.each(['README.md', 'CONTRIBUTING.md', 'docs/architecture.md'])(
  'every npm script that %s names exists',
  (file) => {
    const names = [...read(file).matchAll(/\bnpm (?:run )?(test\b|(?<=run )[\w:-]+)/g)]
    expect(names.length).toBeGreaterThan(0)
    const missing = names
      .map(([, name]) => name ?? '')
      .filter((name) => !(name in manifest.scripts))
    expect(missing).toEqual([])
  },
)

describe('README.md', () => {
  const readme = read('README.md')

  test('shows a report with the columns of transactions-list', () => {
    const file = join(ROOT, 'reports/transactions-list.yaml')
    const { columns } = readYaml(file, templateSchema, 'template').value
    const usual = columns.filter(({ optional, roles }) => !optional && !roles)
    const [, csv = ''] = /^```csv\n([^]*?)\n```$/m.exec(readme) ?? []
    const [header, ...rows] = csv.split('\n')
    expect(header).toBe(usual.map(({ name }) => `"${name}"`).join(','))
    expect(rows).toHaveLength(4)
  })

  test('repeats ratios of docs/performance.md', () => {
    const measured = table(read('docs/performance.md'), 'What | Against')
    const ratioOf = (what: string, against: string) => {
      return measured.find((row) => row[0] === what && row[1] === against)?.[3]
    }
    const ratios = [
      ratioOf('CSV over HTTP, per row', 'PostgreSQL cursor into csv-stringify'),
      ratioOf('CSV over HTTP, 5,000,000 rows', 'the engine over HTTP, same settings'),
      ratioOf('memory of a report of 20,000,000 rows', 'the same of 5,000,000 rows'),
    ]
    expect(table(readme, 'Ratio | Of what').map(([ratio]) => ratio)).toEqual(ratios)
  })
})

test('docs/README.md links every page of docs/', () => {
  const pages = repositoryFiles(join(ROOT, 'docs'), '*.md').filter((file) => file !== 'README.md')
  const list = read('docs/README.md')
  expect(pages.length).toBeGreaterThan(10)
  expect(pages.filter((page) => !list.includes(`(${page})`))).toEqual([])
})

/** Whether a page is a decision that another one replaced. Such a page may name files that no longer exist. */
function isReplaced(page: string): boolean {
  return /^# .*\n\n\*\*Replaced/.test(read(page))
}

/** The text under a heading, up to the next heading. */
function section(markdown: string, heading: string): string {
  const [, rest = ''] = markdown.split(`\n${heading}\n`)
  return rest.split(/^#/m)[0] ?? ''
}

/** The rows of the table whose head begins with `titles`, without backquotes in the cells. */
function table(markdown: string, titles: string): string[][] {
  const lines = markdown.split('\n')
  const head = lines.findIndex((line) => line.startsWith(`| ${titles} |`))
  const rest = head === -1 ? [] : lines.slice(head + 2)
  const end = rest.findIndex((line) => !line.startsWith('|'))
  return rest
    .slice(0, end === -1 ? rest.length : end)
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim().replaceAll('`', '')))
}

/** The names of an object's members. */
function namesOf({ shape }: { readonly shape: object }): string[] {
  return Object.keys(shape).toSorted()
}

function firstCells(markdown: string, titles: string): string[] {
  return table(markdown, titles).map(([first = '']) => first)
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

describe('docs/threat-model.md', () => {
  const page = readFileSync(join(ROOT, 'docs/threat-model.md'), 'utf8')
  const limits = new Map<string, number>(Object.entries(LIMITS))

  test('has the number of each limit', () => {
    const rows = [...page.matchAll(/^\|[^|]*\| (\d+) \| `(\w+)` \|$/gm)]
    expect(rows.length).toBeGreaterThan(10)
    for (const [, number, name = ''] of rows)
      expect([name, number]).toEqual([name, String(limits.get(name))])
  })

  test('lists exactly the fields of a request in the log', () => {
    const fields = firstCells(page, 'Fields | Value').flatMap((cell) => cell.split(', '))
    expect(fields).toEqual(Object.keys(LOGGED))
  })

  test('has the sizes of forms', () => {
    for (const [, size, name] of page.matchAll(/(\d+) KiB for `([\w-]+)`/g)) {
      const operation = Object.values(OPERATIONS).find((one) => one.name === name)
      const bytes = operation ? formBytesMax(operation) : Number.NaN
      expect([name, size]).toEqual([name, String(Math.floor(bytes / 1024))])
    }
  })
})
