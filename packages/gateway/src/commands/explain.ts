import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import {
  type AskedRefusal,
  type RefusalStory,
  refusalStory,
} from '../authenticate/refusal-story.ts'
import { controlSocketFile, loadConfig } from '../config/config.ts'
import { askGateway } from '../control/ask-gateway.ts'
import { GatewayError, LIMITS } from '@counterfoil/common'
import { addCommand } from './config-option.ts'

/** Adds `explain`, which tells the operator why a request was refused. */
export function addExplainCommand(program: Command): void {
  addCommand(program, 'explain', {
    summary: 'say why a request was refused',
    description:
      'Asks the running gateway why it refused a request: the step that failed, the likely mistake and its fix, and the ' +
      'base string that the gateway built. The command masks card data. The gateway keeps its last ' +
      `${LIMITS.refusedRequestsMax} refusals in memory, never on the disk.`,
    examples: ['explain REQUEST_ID --config gateway.yaml'],
  })
    .argument('<request-id>', 'id of the request, which the refusal shows to its caller')
    .option('--base-string <file>', 'base string that the caller signed, if you have it')
    .action(async (requestId: string, options: ExplainOptions) => {
      const file = controlSocketFile(loadConfig(options.config))
      const signedBaseString = options.baseString && readBaseString(options.baseString)
      const asked: AskedRefusal = { requestId, signedBaseString }
      const answer = await askGateway(file, 'explain', asked)
      if (answer === undefined) {
        const message = `No gateway runs on ${options.config}. Its log has the step and the code of every refusal`
        throw new GatewayError('control', message)
      }
      const lines = describe(requestId, refusalStory.parse(answer.result))
      console.log(lines.map(printable).join('\n'))
    })
}

interface ExplainOptions {
  readonly config: string
  readonly baseString?: string
}

/** Reads a base string. An editor may have ended it with a line end. */
function readBaseString(file: string): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new GatewayError('control', `Cannot read the base string: ${reason}`, { cause })
  }
  const max = LIMITS.refusedRequestBytesMax
  if (text.length <= max) return text
  throw new GatewayError('control', `${file}: expected a base string of at most ${max} characters`)
}

/** Why a story names no mistake. */
const WITHOUT_MISTAKE: Readonly<Record<string, string>> = {
  unknown:
    'none that the gateway knows. Ask the caller for the base string, and pass it with --base-string.',
  'too-large': 'not looked for, because the request is too large.',
}

function describe(requestId: string, story: RefusalStory): readonly string[] {
  const { at, method, path, login, step, code, reason, diagnosis = 'too-large' } = story
  const { mistakes, difference, baseString } = story
  return [
    `Request ${requestId}, refused at ${at}`,
    ...(method === undefined ? [] : [`Request: ${method} ${path}`]),
    `Login that the request names: ${login ?? 'none'}`,
    `Step that failed: ${step} (${code})`,
    `Reason: ${reason}`,
    ...(mistakes.length === 0 ? [`Likely mistake: ${WITHOUT_MISTAKE[diagnosis]}`] : []),
    ...mistakes.flatMap(({ sentence, fix }) => [`Likely mistake: ${sentence}`, `Fix: ${fix}`]),
    ...(difference === undefined ? [] : [`First difference: ${difference}`]),
    ...(baseString === undefined ? [] : [titleOf(baseString), baseString.shown]),
  ]
}

function titleOf({ left }: NonNullable<RefusalStory['baseString']>): string {
  const without = left === 0 ? '' : `, without its last ${left} characters`
  return `Base string that the gateway built${without}:`
}

/** Replaces characters that could control the terminal. A stranger chooses the login and more. */
function printable(line: string): string {
  return line.replaceAll(/\p{C}/gu, '\u{FFFD}')
}
