import * as z from 'zod'
import { type Config, controlSocketFile } from '../config/config.ts'
import { askGateway } from '../control/ask-gateway.ts'
import { LIMITS, withoutCardNumber } from '@counterfoil/common'
import type { Log } from '../observe/log.ts'
import type { ViewSession } from '@counterfoil/store'

/** The command of the control socket that logs what an operator did to a view session. */
export const NOTE_VIEW_SESSION = 'note-view-session'

const noteSchema = z.strictObject({
  event: z.enum(['link-made', 'ended']),
  sessionId: z.uuid(),
  login: z.string().max(LIMITS.loginLengthMax),
})

type Note = z.infer<typeof noteSchema>

const MESSAGES: Readonly<Record<Note['event'], string>> = {
  'link-made': 'The operator made a link',
  ended: 'The operator ended the view session or link',
}

/**
 * Asks the running gateway to log what the operator did to a view session or its link. Without a gateway there is no
 * log, and the operator's own output has it.
 */
export async function noteViewSession(
  config: Config,
  event: Note['event'],
  { sessionId, login }: ViewSession,
): Promise<void> {
  try {
    const note: Note = { event, sessionId, login }
    await askGateway(controlSocketFile(config), NOTE_VIEW_SESSION, note)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    console.error(`Warning: the log of the gateway does not have this: ${reason}`)
  }
}

/** Logs a note of {@link noteViewSession}. */
export function logViewSession(log: Log, input: unknown): void {
  const { event, sessionId, login } = noteSchema.parse(input)
  log.info(`${MESSAGES[event]} ${sessionId} of ${withoutCardNumber(login)}`)
}
