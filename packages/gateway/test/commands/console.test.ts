import { expect, test } from 'vitest'
import { LIMITS } from '../../../common/src/limits.ts'
import { runHere } from '../kit/run-here.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'
import { viewerOf } from '../kit/view-session.ts'

const ON = { console: { path: '/accounts', viewSessions: {} } }

const { sandbox, gateway } = await serveSandbox([1000], ON)
const { config } = gateway
const { merchant } = sandbox.logins
const viewer = await viewerOf(gateway, ON)

const run = async (...args: readonly string[]) => {
  return await runHere('console', ...args, '--config', config)
}

/** Makes a link, and returns its id and its token. */
async function link(login: string, ...options: readonly string[]) {
  const { code, stdout, stderr } = await run('link', login, ...options)
  const [, sessionId = ''] = /^Made the link ([\da-f-]{36}) for /.exec(stderr) ?? []
  return { code, stdout, stderr, sessionId, token: stdout.trim().replace(/^.*=/, '') }
}

async function list(): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return JSON.parse((await run('sessions', '--json')).stdout)
}

/** Begins the session of a link in the running gateway, and returns its cookie. */
async function begin(token: string): Promise<string> {
  const { status, headers } = await viewer.request('POST', '', { body: { link: token } })
  expect(status).toBe(204)
  return headers['set-cookie']?.[0]?.split(';')[0] ?? ''
}

const statusOf = async (cookie: string) => (await viewer.request('GET', '', { cookie })).status

/** The milliseconds from the making of a link to its end. */
async function lifeOf(sessionId: string): Promise<number> {
  const listed = (await list()).find((each) => each['sessionId'] === sessionId)
  return Date.parse(String(listed?.['expiresAt'])) - Date.parse(String(listed?.['madeAt']))
}

test('link prints a link that works once, and says until when', async () => {
  const { code, stdout, stderr, sessionId, token } = await link(merchant.login)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/accounts\/#link=[\w-]{43}\n$/)
  expect(stderr).toMatch(/\nIt works once, until \S+Z\. Its session lasts 60 minutes\.\n$/)
  expect(await lifeOf(sessionId)).toBe(15 * 60_000)
  expect(await statusOf(await begin(token))).toBe(200)
})

test('link takes the minutes of a link, up to a day', async () => {
  const max = LIMITS.viewMinutesMax
  const { sessionId } = await link(merchant.login, '--minutes', String(max))
  expect(await lifeOf(sessionId)).toBe(max * 60_000)
  for (const minutes of [String(max + 1), '0', '1.5']) {
    const { code, stderr } = await link(merchant.login, '--minutes', minutes)
    expect([code, stderr]).toEqual([2, expect.stringContaining(`from 1 to ${max}`)])
  }
})

test('link refuses an unknown login, and a gateway without view sessions', async () => {
  expect(await run('link', 'nobody')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'error: There is no login nobody. "logins list" shows all\n',
  })
  const off = await sandbox.writeConfig()
  const advice = `Add "console: { viewSessions: {} }" to ${off}, and restart the gateway`
  expect(await runHere('console', 'link', merchant.login, '--config', off)).toEqual({
    code: 1,
    stdout: '',
    stderr: `error: View sessions are switched off. ${advice}\n`,
  })
})

test('sessions lists links and sessions without their tokens', async () => {
  const { login } = sandbox.logins.reseller
  const unused = await link(login)
  const used = await link(login)
  const cookie = await begin(used.token)
  const { stdout } = await run('sessions')
  expect(stdout).toMatch(/^ID +LOGIN +STATE +LINK MADE +BEGAN +EXPIRES\n/)
  expect(stdout).toMatch(new RegExp(`\n${unused.sessionId} +reseller +link +\\S+Z +- +\\S+Z\n`))
  expect(stdout).toMatch(
    new RegExp(`\n${used.sessionId} +reseller +session +\\S+Z +\\S+Z +\\S+Z\n`),
  )
  for (const token of [unused.token, used.token, cookie.replace(/^.*=/, '')]) {
    expect(stdout + JSON.stringify(await list())).not.toContain(token)
  }
})

test('end ends one or all of a login, at once, and the log of the gateway has it', async () => {
  const { login } = sandbox.logins.manager
  const first = await link(login)
  const others = [await link(login), await link(login)]
  const cookie = await begin(first.token)
  const other = await begin(others[0]?.token ?? '')
  expect(await run('end', first.sessionId)).toEqual({
    code: 0,
    stdout: '',
    stderr: `Ended the session ${first.sessionId} of manager.\n`,
  })
  expect([await statusOf(cookie), await statusOf(other)]).toEqual([204, 200])
  const { code, stderr } = await run('end', '--login', login)
  expect([code, stderr.split('\n').toSorted().slice(1)]).toEqual([
    0,
    [
      `Ended the link ${others[1]?.sessionId} of manager.`,
      `Ended the session ${others[0]?.sessionId} of manager.`,
    ],
  ])
  expect(await statusOf(other)).toBe(204)
  const messages = gateway.lines().map(({ msg }) => msg)
  expect(messages).toContain(`The operator made the link ${first.sessionId} of manager`)
  expect(messages).toContain(`The operator ended the session ${first.sessionId} of manager`)
  for (const token of [first.token, cookie.replace(/^.*=/, '')]) {
    expect(gateway.log()).not.toContain(token)
  }
})

test('end refuses what is not open, and an unclear command line', async () => {
  expect(await run('end', 'no-such-id')).toMatchObject({
    code: 1,
    stderr: 'error: There is no open session or link no-such-id. "console sessions" shows all\n',
  })
  expect(await run('end', '--login', 'nobody')).toMatchObject({
    code: 1,
    stderr: 'error: There is no open session or link of nobody. "console sessions" shows all\n',
  })
  for (const args of [[], ['id', '--login', 'x']]) {
    const { code, stderr } = await run('end', ...args)
    expect([code, stderr]).toEqual([2, expect.stringContaining('either an id or --login')])
  }
})
