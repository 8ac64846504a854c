import { createHash } from 'node:crypto'
import { type Agent, request as post } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { formatReprDigest, type ReportRequest } from '@counterfoil/protocol'
import type { DemoLogin } from '../packages/gateway/src/demo/demo-logins.ts'
import { signAs } from './sign-as.ts'

/**
 * Requests a small report and reads it. Returns `undefined` if the report is complete, and a description of the answer
 * otherwise.
 */
export async function askOnce(
  reportUrl: string,
  login: DemoLogin,
  request: ReportRequest,
  agent?: Agent,
): Promise<string | undefined> {
  const authorization = await signAs(login, reportUrl)
  const headers = { Authorization: authorization, 'Content-Type': 'application/json' }
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
  const asking = post(
    reportUrl,
    { method: 'POST', headers, ...(agent && { agent }) },
    async (answer) => {
      const received = await buffer(answer)
      const digest = formatReprDigest(createHash('sha256').update(received).digest('base64'))
      const isComplete = answer.statusCode === 200 && answer.trailers['repr-digest'] === digest
      resolve(isComplete ? undefined : `${answer.statusCode}: ${received.toString().slice(0, 300)}`)
    },
  )
  asking.on('error', reject)
  asking.end(JSON.stringify(request))
  return await promise
}
