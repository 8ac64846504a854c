import * as z from 'zod'
import { GatewayError, LIMITS } from '@counterfoil/common'
import type { AskedRefusal } from '../authenticate/explain-refusal.ts'
import { type Config, controlSocketFile } from '../config/config.ts'
import { askGateway } from '../control/control-client.ts'
import { argument, command, CONFIG, option, textOfFile } from './command.ts'

const reloadedSchema = z.object({
  reports: z.array(z.string()),
  checked: z.number(),
  certificate: z.object({ file: z.string(), validTo: z.string() }).optional(),
})

export const RELOAD = command({
  name: 'reload',
  summary: 'make the running gateway read its report files again',
  description:
    'Makes the running gateway read its report files and its TLS certificate again. Running reports continue. ' +
    'If a report file is broken, the gateway keeps all its reports. If the certificate is broken, the gateway keeps ' +
    'the old one. In both cases the command prints every fault and ends with 1. After a change of the configuration ' +
    'file, restart the gateway.',
  examples: ['reload --config gateway.yaml'],
  takes: { config: CONFIG },
  run: async ({ config }) => {
    const answer = await askRunning(config, 'reload')
    const { reports, checked, certificate } = reloadedSchema.parse(answer)
    console.log(`Loaded ${reports.length} reports: ${reports.join(', ')}.`)
    console.log(describeChecks(checked, reports.length))
    if (certificate === undefined) return
    console.log(`Loaded the certificate ${certificate.file}, valid until ${certificate.validTo}.`)
  },
})

function describeChecks(checked: number, count: number): string {
  if (checked === 0) return 'No report file has changed since its check.'
  const rest = checked < count ? ' The others have not changed since their check.' : ''
  return `Checked ${checked} of ${count} report files.${rest}`
}

export const EXPLAIN = command({
  name: 'explain',
  summary: 'say why a request was refused',
  description:
    'Asks the running gateway why it refused a request: the step that failed, the likely mistake and its fix, and the ' +
    'base string that the gateway built. The command masks card data. The gateway keeps at most ' +
    `${LIMITS.refusedRequestsMax} refusals in memory, and none on the disk.`,
  examples: ['explain REQUEST_ID --config gateway.yaml'],
  takes: {
    config: CONFIG,
    requestId: argument('<request-id>', 'id of the request, which the refusal shows to its caller'),
    baseString: option(
      '--base-string <file>',
      'base string that the caller signed, if you have it',
      textOfFile('the base string', LIMITS.refusedRequestBytesMax),
    ),
  },
  run: async ({ config, requestId, baseString }) => {
    // An editor may have ended the file with a line end.
    const signedBaseString = baseString?.replace(/\r?\n$/, '')
    const asked: AskedRefusal = { requestId, signedBaseString }
    const lines = z.array(z.string()).parse(await askRunning(config, 'explain', asked))
    console.log(lines.map(printable).join('\n'))
  },
})

/** Replaces characters that could control the terminal. A stranger chooses the login and more. */
function printable(line: string): string {
  return line.replaceAll(/\p{C}/gu, '\u{FFFD}')
}

async function askRunning(config: Config, name: string, input?: unknown): Promise<unknown> {
  const answer = await askGateway(controlSocketFile(config), name, input)
  if (answer !== undefined) return answer
  const advice = 'Start one with "counterfoil-gateway serve"'
  throw new GatewayError('control', `No gateway runs on ${config.file}. ${advice}`)
}
