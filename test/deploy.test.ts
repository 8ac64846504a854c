import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parser } from '@prometheus-io/lezer-promql'
import { Copy, DockerfileParser } from 'dockerfile-ast'
import { validate } from 'dockerfile-utils'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'

const ROOT = join(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

describe('the Dockerfile', () => {
  const text = read('deploy/Dockerfile')
  const instructions = DockerfileParser.parse(text).getInstructions()
  const sources = instructions
    .filter((instruction) => instruction instanceof Copy && !instruction.getFromFlag())
    .flatMap((copy) =>
      copy
        .getArguments()
        .slice(0, -1)
        .map((argument) => argument.getValue()),
    )

  test('keeps the rules of Dockerfiles', () => {
    expect(validate(text)).toEqual([])
  })

  test('copies files that exist, and the manifest of every package', () => {
    expect(sources.filter((source) => !existsSync(join(ROOT, source)))).toEqual([])
    const packages = readdirSync(join(ROOT, 'packages'))
    expect(sources).toEqual(
      expect.arrayContaining(packages.map((name) => `packages/${name}/package.json`)),
    )
  })

  test('copies nothing that .dockerignore leaves out', () => {
    const kept =
      read('.dockerignore')
        .match(/^!.*$/gm)
        ?.map((line) => line.slice(1)) ?? []
    expect(sources.filter((source) => !kept.includes(source.split('/')[0] ?? ''))).toEqual([])
  })

  test('starts the gateway as a user without rights', () => {
    const last = (keyword: string) => {
      const found = instructions.findLast((instruction) => instruction.getKeyword() === keyword)
      return found?.getArgumentsContent()
    }
    expect(last('USER')).toBe('node')
    expect(last('ENTRYPOINT')).toBe('["node", "packages/gateway/src/main.ts"]')
    const help = execFileSync(
      process.execPath,
      ['packages/gateway/src/main.ts', 'serve', '--help'],
      {
        cwd: ROOT,
        encoding: 'utf8',
      },
    )
    expect(help).toContain('--config')
  })
})

const SYSTEMD = spawnSync('systemd-analyze', ['--version']).status === 0

test.skipIf(!SYSTEMD)('systemd accepts the unit', () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const unit = join(folder, 'counterfoil.service')
  const here = read('deploy/counterfoil.service').replaceAll('/opt/counterfoil', ROOT)
  writeFileSync(unit, here)
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })
  expect(stderr.split('\n').filter((line) => line.includes('counterfoil'))).toEqual([])
  expect(status).toBe(0)
})

describe('the queries for Prometheus', () => {
  /** Returns the parts of a query that PromQL does not know. */
  const faultsOf = (query: string): readonly string[] => {
    const faults: string[] = []
    parser.parse(query).iterate({
      enter: ({ type, from, to }) => {
        if (type.isError) faults.push(`${query.slice(0, from)}<<${query.slice(from, to)}>>`)
      },
    })
    return faults
  }

  test('of the alerts are PromQL', () => {
    const alerts = z
      .object({
        groups: z.array(z.object({ rules: z.array(z.object({ expr: z.string() })) })),
      })
      .parse(parse(read('deploy/prometheus-alerts.yaml')))
    const queries = alerts.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr))
    expect(queries.length).toBeGreaterThan(4)
    expect(queries.flatMap(faultsOf)).toEqual([])
  })

  test('of the dashboard are PromQL', () => {
    const dashboard = z
      .object({
        panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })).optional() })),
      })
      .parse(JSON.parse(read('deploy/grafana-dashboard.json')))
    const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    expect(queries.length).toBeGreaterThan(10)
    // Grafana replaces this word by a time.
    const sent = queries.map((query) => query.replaceAll('$__rate_interval', '5m'))
    expect(sent.flatMap(faultsOf)).toEqual([])
  })
})
