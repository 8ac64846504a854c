import type { ClientRequest, IncomingMessage } from 'node:http'

/**
 * Waits for the head of the answer to a request. After a status 101, which nobody asked for, Node closes the connection
 * without an error. Errors after the head are those of the answer.
 *
 * @throws the error of the connection, or an error if it closes before the head
 */
export async function headOfAnswer(sent: ClientRequest): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    sent.once('response', resolve).on('error', reject)
    sent.once('close', () => reject(new Error('the connection was closed without an answer')))
  })
}
