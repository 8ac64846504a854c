// Sends money to a card in a sandbox. The client never repeats an operation that may have arrived. The program does,
// with the same client order id: the gateway then returns its first answer instead of a second transfer.
//
//   COUNTERFOIL_API_URL=https://.../gate COUNTERFOIL_LOGIN=shop COUNTERFOIL_CONTROL_KEY=... npx node examples/transfer.ts
import { CounterfoilClient, CounterfoilError } from '@counterfoil/client'

const {
  COUNTERFOIL_API_URL: apiUrl = '',
  COUNTERFOIL_LOGIN: login = '',
  COUNTERFOIL_CONTROL_KEY: controlKey = '',
} = process.env

const { payments } = new CounterfoilClient({ apiUrl, login, controlKey })
// One of your payment endpoints: the member `endpoints` of client.catalogue() lists them.
const ENDPOINT_ID = '1144'
// Keep the order id before you send the first request, so that a crash does not lose it.
const fields = {
  'client-order-id': '902B4FF5',
  amount: '10.42',
  currency: 'EUR',
  'destination-card-no': '9001000000000000',
}
// A proxy may answer in place of the gateway: `unexpected-body`.
const UNCERTAIN = ['network-error', 'timed-out', 'truncated', 'unexpected-body']

for (let attempt = 1; ; attempt += 1) {
  try {
    const answer = await payments.call('transfer-by-ref', ENDPOINT_ID, fields)
    console.log(`accepted: ${answer['transaction-id']}`)
    break
  } catch (error) {
    const isUncertain = error instanceof CounterfoilError && UNCERTAIN.includes(error.code)
    if (!isUncertain || attempt === 3) throw error
  }
}
