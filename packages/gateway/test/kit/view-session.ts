import { type AskOptions, read, send } from './ask.ts'
import { runHere } from './run-here.ts'
import type { RunningGateway } from './running-gateway.ts'

/** How a request of a view session differs from the usual one. */
export interface ViewOptions extends Pick<AskOptions, 'headers'> {
  readonly cookie?: string
  /** The JSON body. A text is sent as it is. */
  readonly body?: object | string
}

/** Returns functions for the view sessions of a gateway. Their tokens must not be in its log. */
export async function viewerOf(
  gateway: RunningGateway,
  change: { readonly console: { readonly path?: string; readonly viewSessions: object } },
) {
  const { sandbox, reportUrl } = gateway
  const { origin } = new URL(reportUrl)
  const config = await sandbox.writeConfig(change)
  /** Makes a link of a login, and returns its id and its token. */
  const link = async (login: string) => {
    const { stdout, stderr } = await runHere('console', 'link', login, '--config', config)
    const [, token = ''] = /#link=([\w-]{43})\n$/.exec(stdout) ?? []
    const [, sessionId = ''] = /^Made the link (\S+) /.exec(stderr) ?? []
    sandbox.secrets.add(token)
    return { sessionId, token }
  }
  /** Sends a request as a page of the gateway does, unless the headers differ. */
  const request = async (method: string, path: string, options: ViewOptions = {}) => {
    const { headers, body, cookie } = options
    const sent = {
      Origin: origin,
      'Sec-Fetch-Site': 'same-origin',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(cookie !== undefined && { Cookie: cookie }),
      ...headers,
    }
    const known = Object.entries(sent).filter((header): header is [string, string] => {
      return header[1] !== undefined
    })
    const text = typeof body === 'object' ? JSON.stringify(body) : (body ?? '')
    const url = `${origin}${change.console.path ?? '/console'}/session${path}`
    return await read(
      await send({ url, method, headers: Object.fromEntries(known), body: Buffer.from(text) }),
    )
  }
  /** Makes a link, begins its session, and returns its id and its cookie. */
  const begin = async (login: string) => {
    const { sessionId, token } = await link(login)
    const { headers } = await request('POST', '', { body: { link: token } })
    const [cookie = ''] = headers['set-cookie']?.[0]?.split(';') ?? []
    sandbox.secrets.add(cookie.replace(/^.*=/, ''))
    return { sessionId, cookie }
  }
  return { link, request, begin }
}
