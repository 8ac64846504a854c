import { REFUSAL_PREFIX } from '@counterfoil/protocol'
import { useSignal } from '@preact/signals'
import { ErrorNote } from '../shell/error-note.tsx'
import { texts } from '../texts.ts'
import { ANSWER_BYTES_MAX } from './limits.ts'
import type { SignedDraft } from './sign-draft.ts'

/** The beginning of an answer, and the header of the request that it answers. */
interface Answer {
  readonly authorization: string
  readonly status: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly text: string
  readonly isCut: boolean
}

/** Sends the request with the header as it is shown, if its address is this gateway's. */
export function SendPanel({ request, signed }: SignedDraft) {
  const answer = useSignal<Answer | undefined>(undefined)
  const fault = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const { method, url, body } = request
  const isOwn = URL.parse(url)?.origin === location.origin
  const isSent = answer.value?.authorization === signed.authorization

  const send = async () => {
    isBusy.value = true
    fault.value = undefined
    try {
      const { headers, authorization } = signed
      answer.value = { authorization, ...(await ask(url, { method, headers, body: body ?? null })) }
    } catch (error) {
      fault.value = error
    } finally {
      isBusy.value = false
    }
  }

  return (
    <section class="panel">
      <h2>{texts.sign.send}</h2>
      <p class="lead">{isOwn ? texts.sign.sendHint : texts.sign.otherOrigin}</p>
      {isOwn && (
        <div class="actions">
          <button type="button" class="primary" disabled={isBusy.value} onClick={send}>
            {isSent ? texts.sign.sendAgain : texts.sign.sendNow}
          </button>
          {isSent && <small>{texts.sign.sentOnce}</small>}
        </div>
      )}
      {fault.value !== undefined && <ErrorNote error={fault.value} />}
      {answer.value && <AnswerText {...answer.value} />}
    </section>
  )
}

function AnswerText({ status, headers, text, isCut }: Answer) {
  // A refusal of a report has the status 200.
  const isRefused = text.startsWith(REFUSAL_PREFIX)
  return (
    <div role="status" class="answer-text">
      <h3>{isRefused ? texts.sign.refused : status}</h3>
      <pre>
        {isRefused && `${status}\n`}
        {headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
      </pre>
      <pre tabIndex={0} role="region" aria-label={texts.sign.answer}>
        {text}
      </pre>
      {isCut && <small>{texts.sign.cut}</small>}
    </div>
  )
}

/** Sends a request, and reads the beginning of its answer. */
async function ask(url: string, request: RequestInit): Promise<Omit<Answer, 'authorization'>> {
  const response = await fetch(url, {
    ...request,
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'manual',
  })
  const { bytes, isCut } = await readBeginning(response)
  return {
    status: `${response.status} ${response.statusText}`.trim(),
    headers: [...response.headers],
    text: new TextDecoder().decode(bytes),
    isCut,
  }
}

async function readBeginning({ body }: Response) {
  const bytes = new Uint8Array(ANSWER_BYTES_MAX)
  let length = 0
  for await (const chunk of body ?? []) {
    const room = chunk.subarray(0, bytes.length - length)
    bytes.set(room, length)
    length += room.length
    if (room.length < chunk.length) return { bytes, isCut: true }
  }
  return { bytes: bytes.subarray(0, length), isCut: false }
}
