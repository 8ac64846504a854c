import { REFUSAL_PREFIX } from '@counterfoil/protocol'
import { useSignal } from '@preact/signals'
import { ErrorNote } from '../controls/error-note.tsx'
import type { SignedDraft } from './sign-draft.ts'

/** The most characters of an answer that the view shows. */
const ANSWER_CHARACTERS_MAX = 8 * 1024

/** The beginning of an answer, and the header of the request that it answers. */
interface Answer {
  readonly authorization: string
  readonly status: string
  readonly headers: string
  readonly text: string
  readonly isCut: boolean
}

/** Sends the request with the header as it is shown, if its address is this gateway's. */
export function SendPanel({ request, signed }: SignedDraft) {
  const answer = useSignal<Answer | undefined>(undefined)
  const fault = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const { method, url, body = null } = request
  const isOwn = URL.parse(url)?.origin === location.origin
  const isSent = answer.value?.authorization === signed.authorization

  const send = async () => {
    isBusy.value = true
    fault.value = undefined
    try {
      const { headers, authorization } = signed
      const sent = { method, headers, body, credentials: 'omit', redirect: 'manual' } as const
      answer.value = { authorization, ...(await readAnswer(await fetch(url, sent))) }
    } catch (error) {
      fault.value = error
    } finally {
      isBusy.value = false
    }
  }

  return (
    <section class="panel">
      <h2>Send this request</h2>
      <p class="lead">
        {isOwn
          ? 'Sends the request to this gateway, with the header as it is shown above.'
          : 'This page sends requests to its own gateway only. Copy the request as a program instead.'}
      </p>
      {isOwn && (
        <div class="actions">
          <button type="button" class="primary" disabled={isBusy.value} onClick={send}>
            {isSent ? 'Send again' : 'Send'}
          </button>
          {isSent && (
            <small>
              A gateway accepts each nonce once. Take a new nonce, or see what the gateway says to
              the old one.
            </small>
          )}
        </div>
      )}
      <ErrorNote error={fault.value} />
      {answer.value && <AnswerText {...answer.value} />}
    </section>
  )
}

function AnswerText({ status, headers, text, isCut }: Answer) {
  // A refusal of a report has the status 200.
  const isRefused = text.startsWith(REFUSAL_PREFIX)
  return (
    <div role="status" class="answer-text">
      <h3>{isRefused ? 'Refused' : status}</h3>
      <pre>
        {isRefused && `${status}\n`}
        {headers}
      </pre>
      <pre tabIndex={0} role="region" aria-label="Beginning of the answer">
        {text}
      </pre>
      {isCut && <small>The answer goes on.</small>}
    </div>
  )
}

/** Reads the beginning of an answer. */
async function readAnswer(response: Response): Promise<Omit<Answer, 'authorization'>> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > ANSWER_CHARACTERS_MAX) break
  }
  return {
    status: `${response.status} ${response.statusText}`.trim(),
    headers: [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n'),
    text: text.slice(0, ANSWER_CHARACTERS_MAX),
    isCut: text.length > ANSWER_CHARACTERS_MAX,
  }
}
