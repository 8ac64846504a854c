import { randomUUID } from 'node:crypto'
import { InvalidArgumentError } from 'commander'
import { GatewayError, LIMITS, messageOf } from '@counterfoil/common'
import type { ViewSession } from '@counterfoil/store'
import { type Config, controlSocketFile } from '../config/config.ts'
import { askGateway } from '../control/control-client.ts'
import { hashViewToken, makeViewToken } from '../view-sessions/session-cookie.ts'
import {
  argument,
  command,
  CONFIG,
  group,
  JSON_FLAG,
  option,
  optionOr,
  wholeNumber,
} from './command.ts'
import { printList } from './terminal.ts'
import { withStore } from './with-store.ts'

const LINK_MINUTES = 15

const LINK = command({
  name: 'link',
  summary: 'make a one-time link',
  description:
    'Prints a link, on stdout. Whoever opens it first sees the reports of the login, and can change nothing. The link ' +
    'works once. Send it to one person, over a channel that nobody else reads.',
  examples: ['console link shop-1 --config gateway.yaml'],
  takes: {
    config: CONFIG,
    login: argument('<login>', 'login whose reports the person sees'),
    minutes: optionOr(
      LINK_MINUTES,
      '--minutes <number>',
      `minutes until an unused link expires, up to ${LIMITS.viewMinutesMax}`,
      wholeNumber(1, LIMITS.viewMinutesMax),
    ),
  },
  run: async ({ config, login, minutes }) => {
    const settings = config.console
    if (!settings || !settings.viewSessions) {
      const advice = `Add "console: { viewSessions: {} }" to ${config.file}, and restart the gateway`
      throw new GatewayError('config', `View sessions are switched off. ${advice}`)
    }
    const madeAt = new Date()
    const expiresAt = new Date(madeAt.getTime() + minutes * 60_000)
    const made = { sessionId: randomUUID(), login, madeAt, expiresAt }
    const token = makeViewToken()
    await withStore(config, (store) => store.viewSessions.addLink(made, hashViewToken(token)))
    await logNote(config, `The operator made the link ${made.sessionId} of ${login}`)
    const lasts = `Its session lasts ${settings.viewSessions.minutes} minutes.`
    console.error(`Made the link ${made.sessionId} for ${login}.`)
    console.error(`It works once, until ${expiresAt.toISOString()}. ${lasts}`)
    console.log(`${config.publicUrl}${settings.path}/#link=${token}`)
  },
})

const SESSIONS = command({
  name: 'sessions',
  summary: 'list open sessions and unused links',
  description: 'Lists the open view sessions and the unused links. Shows no token.',
  examples: ['console sessions --config gateway.yaml'],
  takes: { config: CONFIG, json: JSON_FLAG },
  run: async ({ config, json }) => {
    const listed = await withStore(config, (store) => store.viewSessions.list(new Date()))
    printList(json, listed, {
      ID: ({ sessionId }) => sessionId,
      LOGIN: ({ login }) => login,
      STATE: stateOf,
      'LINK MADE': ({ madeAt }) => madeAt,
      BEGAN: ({ beganAt }) => beganAt,
      EXPIRES: ({ expiresAt }) => expiresAt,
    })
  },
})

const END = command({
  name: 'end',
  summary: 'end sessions, and revoke links',
  description:
    'Ends a session or revokes an unused link, or all of a login. A running gateway refuses the next request.',
  examples: [
    'console end ID --config gateway.yaml',
    'console end --login shop-1 --config gateway.yaml',
  ],
  takes: {
    config: CONFIG,
    id: argument<string | undefined>(
      '[id]',
      'id of the session or link, as "console sessions" shows it',
    ),
    login: option('--login <login>', 'end all sessions and links of this login'),
  },
  run: async ({ config, id, login }) => {
    const key = login === undefined ? { sessionId: id ?? '' } : { login }
    if ((id === undefined) === (login === undefined)) {
      throw new InvalidArgumentError('expected either an id or --login')
    }
    const ended = await withStore(config, (store) => store.viewSessions.end(key, new Date()))
    for (const session of ended) {
      const name = `the ${stateOf(session)} ${session.sessionId} of ${session.login}`
      await logNote(config, `The operator ended ${name}`)
      console.error(`Ended ${name}.`)
    }
    if (ended.length > 0) return
    const found = `There is no open session or link ${id ?? `of ${login}`}`
    throw new GatewayError('credentials', `${found}. "console sessions" shows all`)
  },
})

export const CONSOLE = group({
  name: 'console',
  summary: 'let people without keys see reports in the console',
  description:
    'Makes one-time links that begin view-only sessions of the console, lists the open sessions, and ends them.',
  below: [LINK, SESSIONS, END],
})

function stateOf({ beganAt }: ViewSession): string {
  return beganAt ? 'session' : 'link'
}

/**
 * Asks the running gateway to log what the operator did. Without a gateway there is no log, and the operator's own
 * output has it.
 */
async function logNote(config: Config, text: string): Promise<void> {
  try {
    await askGateway(controlSocketFile(config), 'note', text)
  } catch (error) {
    console.error(`Warning: the log of the gateway does not have this: ${messageOf(error)}`)
  }
}
