import { conforms, type JsonSchema, type ValueOf } from '@counterfoil/protocol'
import { CounterfoilError, UnexpectedBody } from '../errors/counterfoil-error.ts'
import type { Sender } from './create-sender.ts'
import type { Retry } from './retry.ts'
import { failureOf, mediaTypeOf, parseJson, readText } from '../errors/read-failure.ts'

/** Returns what the gateway answers to a question about its reports and runs. Throws the errors of the client. */
export interface Asker {
  /** Returns the JSON of the answer if it has the shape of a schema, and is the content that was asked for. */
  json<Schema extends JsonSchema>(
    question: Question,
    schema: Schema,
    isAsked?: (content: ValueOf<Schema>) => boolean,
  ): Promise<ValueOf<Schema>>
  /** Returns the text of an answer with this media type. */
  text(question: Question, mediaType: string): Promise<string>
}

/** A question about the gateway's reports or runs. */
export interface Question {
  /** The path below the report URL, such as `/catalogue`. */
  readonly path: string
  readonly content?: object
  /** What the answer is, for error messages: `a catalogue`. */
  readonly expected: string
  readonly signal?: AbortSignal | undefined
}

/** Whether a gateway has no such path. A gateway that keeps only to the specification has no catalogue and no runs. */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof CounterfoilError)) return false
  if (error.code === 'unexpected-body') return error.status === 404 || error.status === 405
  return error.code === 'report-refused' && error.problem.code === 'not-found'
}

/** Creates an asker for the paths below a report URL. */
export function createAsker(send: Sender, endpoint: () => URL, retry: Retry): Asker {
  const ask: Asker['text'] = async ({ path, content = {}, expected, signal }, mediaType) => {
    const url = endpoint()
    url.pathname = url.pathname.replace(/\/$/, '') + path
    const body = JSON.stringify(content)
    const headers = { Accept: mediaType }
    const answer = await send({ url, contentType: 'application/json', body, headers }, signal)
    const received = await readText(answer)
    if (answer.status === 200 && mediaTypeOf(answer) === mediaType) return received
    throw failureOf(answer, received, expected)
  }
  const text: Asker['text'] = async (question, mediaType) => {
    return await retry(() => ask(question, mediaType), question.signal)
  }
  return {
    text,
    async json(question, schema, isAsked = () => true) {
      const value = parseJson(await text(question, 'application/json'))
      if (conforms(schema, value) && isAsked(value)) return value
      throw new UnexpectedBody(`expected ${question.expected}, got other JSON`, 200)
    },
  }
}
