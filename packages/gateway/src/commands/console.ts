import { randomUUID } from 'node:crypto'
import { type Command, InvalidArgumentError } from 'commander'
import { type Config, loadConfig } from '../config/config.ts'
import { GatewayError, LIMITS } from '@counterfoil/common'
import type { ViewSession, ViewSessionKey } from '@counterfoil/store'
import { hashViewToken, makeViewToken } from '../view-sessions/session-cookie.ts'
import { noteViewSession } from './note-view-session.ts'
import { addCommand, addGroup } from './config-option.ts'
import { table } from './table.ts'
import { withStore } from './with-store.ts'

const LINK_MINUTES = 15

/** Adds `console link`, `console sessions` and `console end`. */
export function addConsoleCommands(program: Command): void {
  const group = addGroup(program, 'console', {
    summary: 'let people without keys see reports in the console',
    description:
      'Makes one-time links that begin view-only sessions of the console, lists the open sessions, and ends them.',
    examples: [
      'console link shop-1 --config gateway.yaml',
      'console sessions --config gateway.yaml',
      'console end --login shop-1 --config gateway.yaml',
    ],
  })
  addLink(group)
  addSessions(group)
  addEnd(group)
}

function addLink(group: Command): void {
  addCommand(group, 'link', {
    summary: 'make a one-time link',
    description:
      'Prints a link, on stdout. Whoever opens it first sees the reports of the login, and can change nothing. The link ' +
      'works once. Send it to one person, over a channel that nobody else reads.',
    examples: ['console link shop-1 --config gateway.yaml'],
  })
    .argument('<login>', 'login whose reports the person sees')
    .option(
      '--minutes <number>',
      `minutes until an unused link expires, up to ${LIMITS.viewMinutesMax}`,
      parseMinutes,
      LINK_MINUTES,
    )
    .action(async (login: string, options: { config: string; minutes: number }) => {
      const { viewSessions, path } = requireViewSessions(loadConfig(options.config), options.config)
      const madeAt = new Date()
      const expiresAt = new Date(madeAt.getTime() + options.minutes * 60_000)
      const made = { sessionId: randomUUID(), login, madeAt, expiresAt }
      const token = makeViewToken()
      await withStore(options.config, async (store, config) => {
        await store.viewSessions.addLink(made, hashViewToken(token))
        await noteViewSession(config, 'link-made', made)
        const lasts = `Its session lasts ${viewSessions.minutes} minutes.`
        console.error(`Made the link ${made.sessionId} for ${login}.`)
        console.error(`It works once, until ${expiresAt.toISOString()}. ${lasts}`)
        console.log(`${config.publicUrl}${path}/#link=${token}`)
      })
    })
}

function requireViewSessions(
  { console: settings }: Config,
  file: string,
): { readonly path: string; readonly viewSessions: { readonly minutes: number } } {
  if (settings && settings.viewSessions) return { ...settings, viewSessions: settings.viewSessions }
  const advice = `Add "console: { viewSessions: {} }" to ${file}, and restart the gateway`
  throw new GatewayError('config', `View sessions are switched off. ${advice}`)
}

function addSessions(group: Command): void {
  addCommand(group, 'sessions', {
    summary: 'list open sessions and unused links',
    description: 'Lists the open view sessions and the unused links. Shows no token.',
    examples: ['console sessions --config gateway.yaml'],
  })
    .option('--json', 'print JSON')
    .action(async (options: { config: string; json?: true }) => {
      const listed = await withStore(options.config, async (store) => {
        return await store.viewSessions.list(new Date())
      })
      if (options.json) {
        console.log(JSON.stringify(listed, undefined, 2))
        return
      }
      const rows = listed.map((session) => [
        session.sessionId,
        session.login,
        session.beganAt ? 'session' : 'link',
        session.madeAt.toISOString(),
        session.beganAt?.toISOString() ?? '-',
        session.expiresAt.toISOString(),
      ])
      console.log(table(['ID', 'LOGIN', 'STATE', 'LINK MADE', 'BEGAN', 'EXPIRES'], rows))
    })
}

function addEnd(group: Command): void {
  addCommand(group, 'end', {
    summary: 'end sessions, and revoke links',
    description:
      'Ends a session or revokes an unused link, or all of a login. A running gateway refuses the next request.',
    examples: [
      'console end ID --config gateway.yaml',
      'console end --login shop-1 --config gateway.yaml',
    ],
  })
    .argument('[id]', 'id of the session or link, as "console sessions" shows it')
    .option('--login <login>', 'end all sessions and links of this login')
    .action(async (id: string | undefined, options: EndOptions, command: Command) => {
      const { login, config: file } = options
      const key = keyOf(id, login)
      if (key === undefined) command.error('error: expected either an id or --login')
      else await endSessions(file, key)
    })
}

interface EndOptions {
  readonly config: string
  readonly login?: string
}

function keyOf(id: string | undefined, login: string | undefined): ViewSessionKey | undefined {
  if (id !== undefined) return login === undefined ? { sessionId: id } : undefined
  return login === undefined ? undefined : { login }
}

async function endSessions(file: string, key: ViewSessionKey): Promise<void> {
  await withStore(file, async (store, config) => {
    const ended = await store.viewSessions.end(key, new Date())
    for (const session of ended) {
      await noteViewSession(config, 'ended', session)
      console.error(`Ended ${describe(session)}.`)
    }
    if (ended.length > 0) return
    const of = 'login' in key ? `of ${key.login}` : key.sessionId
    const found = `There is no open session or link ${of}`
    throw new GatewayError('credentials', `${found}. "console sessions" shows all`)
  })
}

function describe({ sessionId, login, beganAt }: ViewSession): string {
  return `the ${beganAt ? 'session' : 'link'} ${sessionId} of ${login}`
}

function parseMinutes(text: string): number {
  const minutes = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (minutes >= 1 && minutes <= LIMITS.viewMinutesMax) return minutes
  throw new InvalidArgumentError(`Expected a whole number from 1 to ${LIMITS.viewMinutesMax}.`)
}
