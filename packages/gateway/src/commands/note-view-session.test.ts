import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { LIMITS } from '../../../common/src/limits.ts'
import { createLog } from '../observe/log.ts'
import { logViewSession } from './note-view-session.ts'

function logOf(note: unknown): string {
  const lines: string[] = []
  const destination = { write: (line: string) => lines.push(line) }
  logViewSession(createLog({ level: 'info', destination }), note)
  return lines.join('')
}

test('a note of a link shows the session and the login, but no login that looks like a card number', () => {
  const note = { event: 'link-made', sessionId: randomUUID(), login: 'shop-1' }
  expect(logOf(note)).toContain(`The operator made a link ${note.sessionId} of shop-1`)
  const line = logOf({ ...note, login: '4111111111111111' })
  expect(line).toContain(`The operator made a link ${note.sessionId} of [masked]`)
})

test('a note has no long text', () => {
  const note = { event: 'ended', sessionId: randomUUID(), login: 'shop-1' }
  const login = 'x'.repeat(LIMITS.loginLengthMax + 1)
  expect(() => logOf({ ...note, login })).toThrow('login')
  expect(() => logOf({ ...note, sessionId: `${note.sessionId}x` })).toThrow('sessionId')
})
