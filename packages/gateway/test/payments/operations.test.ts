import { setTimeout as sleep } from 'node:timers/promises'
import { encodeForm } from '@counterfoil/signing'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { ask, parameters, signRequest } from '../kit/ask.ts'
import {
  byRef,
  CARDS,
  findEndpoints,
  type Form,
  FORM_TYPE,
  operate,
  operationUrl,
  reported,
} from '../kit/operate.ts'
import { bytesOf, connectRaw } from '../kit/raw-connection.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const CVV = '739'
/** A card that is none of the sandbox's test cards. */
const GOOD_CARD = '4111111111111111'

const { sandbox, gateway } = await serveSandbox([
  1_000,
  ['transactions-list.yaml', 'payouts-transfers.yaml'],
])
const { own } = await findEndpoints(gateway.engine, sandbox.logins.merchant)

const order = (orderId: string, change: Form = {}) => byRef(orderId, own, change)

const sourceCard = (number: string) => ({
  credit_card_number: number,
  card_printed_name: 'ANNA NOVAK',
  expire_month: '12',
  expire_year: '2099',
  cvv2: CVV,
})

async function send(path: string, form: Form, id: number | string = own.id) {
  const answer = await operate(gateway, sandbox.logins.merchant, `${path}/${id}`, form)
  return { status: answer.status, content: JSON.parse(answer.text) }
}

async function rowsOf(orderId: string, columns: readonly string[] = []) {
  const usual = 'Merchant_OID Transaction_id Order_id Amount Transaction_type Status'.split(' ')
  const rows = await reported(gateway, sandbox.logins.merchant, [...usual, ...columns])
  return rows.filter((row) => row['Merchant_OID'] === orderId)
}

/** Today's rows of payouts-transfers whose order ids begin with a text. */
async function payoutsOf(orderIds: string) {
  const today = parameters({ dateFrom: new Date().toISOString().slice(0, 10) })
  const request = { reportIdentifier: 'payouts-transfers', ...today }
  const { text } = await ask(gateway, sandbox.logins.merchant, request)
  const rows = parse<Record<string, string>>(text, { columns: true })
  return rows.filter((row) => row['Merchant_OID']?.startsWith(orderIds))
}

describe('an accepted operation', () => {
  test('has its login and serial number in the log, also if the caller leaves at once', async () => {
    const { merchant } = sandbox.logins
    const asked = { sandbox, reportUrl: operationUrl(gateway, `v4/transfer-by-ref/${own.id}`) }
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const form = encodeForm(Object.entries(order(`left-${attempt}`)))
      const request = await signRequest(asked, merchant, form, { contentType: FORM_TYPE })
      const connection = await connectRaw(gateway.port)
      connection.write(bytesOf(request))
      await sleep(attempt)
      connection.socket.destroy()
    }
    const isOperation = ({ operation }: Readonly<Record<string, unknown>>) =>
      operation !== undefined
    const lines = () => gateway.lines().filter(isOperation)

    await expect.poll(() => lines().length).toBe(5)
    for (const line of lines()) {
      expect(line).toMatchObject({ login: 'merchant', serialNumber: expect.any(String) })
    }
  })

  test.each(['hmac', 'rsa'] as const)(
    'may hold all fifteen names of a transfer, those that do not apply empty: %s',
    async (key) => {
      const form = {
        amount: '10.42',
        card_printed_name: 'ANNA NOVAK',
        card_recurring_payment_id: '',
        client_orderid: `fifteen-${key}`,
        credit_card_number: '4444555566668888',
        currency: own.currency,
        cvv2: CVV,
        deposit2card: '',
        'destination-card-no': '1234567890123456',
        destination_card_recurring_payment_id: '',
        expire_month: '12',
        expire_year: '2099',
        ipaddress: '',
        order_desc: '',
        redirect_url: '',
      }
      const filled = Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ''))
      const path = `v4/transfer/${own.id}`
      const transfer = (fields: Form) =>
        operate(gateway, sandbox.logins.merchant, path, fields, { key })
      const answer = await transfer(form)
      expect([answer.status, JSON.parse(answer.text).type]).toEqual([200, 'async-response'])
      const retried = await transfer({ ...filled, server_callback_url: '' })
      expect(retried.text).toBe(answer.text)
    },
  )

  test('by reference is answered and is in the next report', async () => {
    const { status, content } = await send('v4/transfer-by-ref', order('by-ref'))
    expect([status, content]).toMatchObject([
      200,
      { type: 'async-response', 'client-order-id': 'by-ref', 'merchant-order-id': 'by-ref' },
    ])
    expect(await rowsOf('by-ref')).toMatchObject([
      {
        Transaction_id: content['transaction-id'],
        Amount: '10.420',
        Transaction_type: 'transfer',
        Status: 'approved',
      },
    ])
  })

  test('that transfers from a card makes two legs of one order', async () => {
    const form = { ...order('legs'), ...sourceCard(CARDS.approved) }
    const { content } = await send('v4/transfer', form)
    const [first, second, ...others] = await rowsOf('legs', ['Bin', 'Last4'])
    expect(others).toEqual([])
    expect(first).toMatchObject({
      Transaction_id: content['transaction-id'],
      Bin: '900100',
      Last4: '0000',
    })
    expect(second).toMatchObject({ Order_id: first?.['Order_id'], Bin: '', Status: 'approved' })
    expect(await payoutsOf('legs')).toMatchObject([
      { Direction: 'in', Amount: '10.420', Amount_out: '' },
      { Direction: 'out', Amount: '10.420', Amount_out: '10.420' },
    ])
  })

  test('that the bank declines has no second leg', async () => {
    await send('v4/transfer', { ...order('declined'), ...sourceCard(CARDS.declined) })
    expect(await rowsOf('declined', ['Error_code', 'Error_message'])).toMatchObject([
      { Status: 'declined', Error_code: '1005', Error_message: 'Do not honour' },
    ])
  })

  test('has its masked receiver in the report of payouts and transfers', async () => {
    const named = { receiver_first_name: 'Bruno', receiver_last_name: 'Kalns', first_name: 'Anna' }
    await send('v4/transfer-by-ref', order('receiver', named))
    const { 'destination-card-no': _, ...common } = order('receiver-account')
    const account = { account_number: 'LV80BANK0000435195001', bank_name: 'Mill Bank' }
    const { content } = await send('v4/payout', { ...common, ...account, account_name: 'Carla' })
    expect(await rowsOf('receiver-account')).toMatchObject([
      { Transaction_id: content['payout-id'], Transaction_type: 'payout', Status: 'approved' },
    ])
    const receivers = await payoutsOf('receiver')
    expect(receivers).toMatchObject([{ Receiver_name: 'B***' }, { Receiver_name: 'C***' }])
    expect(JSON.stringify(receivers)).toContain('**** 5001')
  })

  test('of eligibility is answered at once, and is in the next report', async () => {
    const question = async (orderId: string, number: string) => {
      const { credit_card_number, card_printed_name, cvv2: _, ...expiry } = sourceCard(number)
      const { content } = await send('v2/pan-eligibility/send', {
        'client-order-id': orderId,
        'sending-card-number': credit_card_number,
        'card-printed-name': card_printed_name,
        ...expiry,
      })
      return content
    }
    expect(await question('may-send', CARDS.approved)).toMatchObject({
      status: 'approved',
      'can-send': true,
      'last-four-digits': '0000',
    })
    expect(await question('may-not', CARDS.declined)).toMatchObject({ 'can-send': false })
    expect(await question('error', CARDS.error)).toMatchObject({ status: 'error' })
    expect(await question('unknown', CARDS.unknown)).not.toHaveProperty('can-send')
    expect(await rowsOf('may-send', ['Bin', 'Last4'])).toMatchObject([
      { Transaction_type: 'pan_eligibility', Status: 'approved', Amount: '0.000', Last4: '0000' },
    ])
    expect(await rowsOf('may-not')).toMatchObject([{ Status: 'declined' }])
  })

  test.for([
    ['declined', '9001.50'],
    ['filtered', '9004.00'],
    ['error', '9006'],
    ['unknown', '9007.99'],
  ] as const)('without a test card is %s by the amount %s', async ([status, amount]) => {
    const form = { ...order(`amount-${status}`, { amount }), 'destination-card-no': GOOD_CARD }
    await send('v4/transfer-by-ref', form)
    expect(await rowsOf(`amount-${status}`)).toMatchObject([{ Status: status }])
  })

  test('with a delayed outcome is processing, and final after five seconds', {
    tags: ['long'],
  }, async () => {
    const cards = { approved: CARDS.delayed, declined: CARDS.delayedDeclined }
    for (const [status, card] of Object.entries(cards)) {
      const form = order(`late-${status}`, { 'destination-card-no': card })
      await send('v4/transfer-by-ref', form)
      expect(await rowsOf(`late-${status}`)).toMatchObject([{ Status: 'processing' }])
    }
    await sleep(5_100)
    expect(await rowsOf('late-approved')).toMatchObject([{ Status: 'approved' }])
    expect(await rowsOf('late-declined')).toMatchObject([{ Status: 'declined' }])
  })

  test('keeps a hard text in the report', async () => {
    const marks = 'a b+c%d&e=f~g*h It’s 50% of \'Заказ №1\' = "(ok)" %2B%20 ทดสอบ 😀 e\u0301 مرحبا'
    const order_desc = `${marks}\r\nlines\ttab\n\nDROP TABLE x;\n\n'\\N' {a:String}`
    expect((await send('v4/transfer-by-ref', order('hard', { order_desc }))).status).toBe(200)
    const rows = await rowsOf('hard', ['Order_description'])
    expect(rows).toMatchObject([{ Order_description: order_desc }])
  })
})

describe('a repeated client order id', () => {
  test('with the same fields gets the first answer, whatever the CVV', async () => {
    const form = { ...order('again'), ...sourceCard(CARDS.approved) }
    const first = await send('v4/transfer', form)
    const { client_orderid: id, ...others } = form
    const again = await send('v4/transfer', { 'client-order-id': id, ...others, cvv2: '123' })
    expect(again).toEqual(first)
    expect(await rowsOf('again')).toHaveLength(2)
  })

  test.for([
    ['another amount', { amount: '10.43' }],
    ['another card', { 'destination-card-no': '9001000000000018' }],
    ['an extra field', { first_name: 'Anna' }],
  ] as const)('with %s is refused', async ([title, change]) => {
    await send('v4/transfer-by-ref', order(title))
    const again = await send('v4/transfer-by-ref', order(title, change))
    expect(again).toMatchObject({ status: 422, content: { 'error-code': '114' } })
    expect(await rowsOf(title)).toMatchObject([{ Amount: '10.420' }])
  })

  test('is a new order for another login', async () => {
    await send('v4/transfer-by-ref', order('shared'))
    const other = await sandbox.addLogin('other-shop', 'merchant', ['5', '1'])
    const answer = await operate(
      gateway,
      other,
      `v4/transfer-by-ref/${own.id}`,
      order('shared', { amount: '99.00' }),
    )
    expect(answer.status).toBe(200)
    expect(await rowsOf('shared')).toHaveLength(2)
  })

  test('makes one transaction and one answer for 50 requests at once', async () => {
    const sent = Array.from({ length: 50 }, () => send('v4/transfer-by-ref', order('at-once')))
    const answers = await Promise.all(sent)
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]).toMatchObject({ status: 200 })
    expect(await rowsOf('at-once')).toHaveLength(1)
  })
})
