import { signal } from '@preact/signals'
import { draft } from './draft-state.ts'
import { type SignedDraft, signDraft } from './sign-draft.ts'
import { typedKey } from './key-state.ts'

/** The signature of the draft, or why it cannot be signed. Neither without a login or a key. */
export interface SignatureOutcome {
  readonly signature?: SignedDraft
  readonly fault?: unknown
}

/** The outcome for the draft and the key as they are now. */
export const outcome = signal<SignatureOutcome>({})

let latest = 0

/** Signs the draft. Of several runs, the last one wins. As an effect, it runs again after each change. */
export function signAgain(): void {
  const run = (latest += 1)
  const [request, key] = [draft.value, typedKey.value]
  const show = (result: SignatureOutcome) => {
    if (run === latest) outcome.value = result
  }
  if (request.login === '' || key.text.trim() === '') {
    show({})
    return
  }
  void signDraft(request, key).then(
    (signature) => show({ signature }),
    (fault: unknown) => show({ fault }),
  )
}
