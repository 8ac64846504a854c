import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { GatewayError, LIMITS, type ProblemCode } from '@counterfoil/common'
import { problemReply } from './reply.ts'

// The error codes of Node's parser and Fastify for faults of the caller.
const PROBLEM_CODES: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['headers-too-large', 'expected headers of at most 16 KiB'],
  ERR_HTTP_REQUEST_TIMEOUT: [
    'request-timeout',
    `expected the headers within ${LIMITS.headersTimeoutMs / 1000} s and the complete request within ${LIMITS.requestTimeoutMs / 1000} s`,
  ],
  ECONNRESET: ['malformed-http', 'The request is incomplete.'],
  FST_ERR_BAD_URL: ['not-found', 'expected a well-formed path'],
  FST_ERR_MAX_PARAM_LENGTH: [
    'not-found',
    'expected the id of a run or of an endpoint at the end of the path: at most 100 characters',
  ],
}

/** Returns the problem for an error that was thrown before the request reached its handler. */
export function problemOf(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown
  const [code, message] = PROBLEM_CODES[codeOf(thrown)] ?? []
  // Without its cause: the text of the thrown error holds what the caller sent, which belongs in no log.
  if (code !== undefined) return new GatewayError(code, message ?? '')
  return new GatewayError('internal-error', 'The gateway failed.', { cause: thrown })
}

/**
 * Answers bytes that are not an HTTP request, and ends the connection. If the answer to an earlier request is due or in
 * progress, the function only closes the connection: the caller would take this answer for a part of that one.
 *
 * @param unfinished the connection's responses that the server has not finished
 */
export function answerMalformed(
  thrown: Error,
  socket: Socket,
  unfinished: readonly ServerResponse[],
): void {
  if (codeOf(thrown) === 'ECONNRESET' || !socket.writable) return
  if (unfinished.some(({ headersSent, req }) => headersSent || req.complete)) {
    socket.destroy()
    return
  }
  const known = problemOf(thrown)
  const expected = 'expected a request in HTTP/1.1'
  const error =
    known.code === 'internal-error' ? new GatewayError('malformed-http', expected) : known
  const { status, headers, text } = problemReply(error, '')
  const fields = Object.entries({
    ...headers,
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields.join('')}\r\n`)
  socket.end(text)
  // Node no longer times out this connection, so a caller that never ends it would keep it forever.
  const timer = setTimeout(() => socket.destroy(), LIMITS.lingerMs)
  socket.once('close', () => clearTimeout(timer))
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
}
