import { normalizeParameters, type Parameter, signatureBaseString } from '@counterfoil/signing'
import { expect, test } from 'vitest'
import { maskBaseString, maskText } from './mask.ts'

const PAN = '4111111111111111'
const CVV = '739'
const URL = 'https://gate.example/gate/api/v4/transfer/1144'

const masked = (pairs: readonly Parameter[], url = URL) => {
  const parameterString = normalizeParameters(pairs)
  return maskBaseString(signatureBaseString({ method: 'POST', url, parameterString }))
}

test('leaves values unchanged that cannot be card data', () => {
  const pairs: Parameter[] = [
    ['amount', '10.42'],
    ['client_orderid', '902B4FF5'],
    ['oauth_nonce', '5f2c9a1e7b3d4c60'],
    ['oauth_timestamp', '1795216694'],
    ['order_desc', "It's 50% of №1 & 4111111111111112"],
    ['card-printed-name', 'ANNA'],
  ]
  const parameterString = normalizeParameters(pairs)
  const baseString = signatureBaseString({ method: 'POST', url: URL, parameterString })
  expect(masked(pairs)).toBe(baseString)
})

test.each(['credit_card_number', 'destination-card-no', 'sending_card_number', 'cvv2'])(
  'masks the complete value of %s, and no other value',
  (name) => {
    const shown = masked([
      [name, PAN],
      ['amount', '10'],
      ['zip_code', 'LV-1001'],
    ])
    expect(shown).toContain(
      `&amount%3D10%26${name}%3D${'*'.repeat(PAN.length)}%26zip_code%3DLV-1001`,
    )
  },
)

const [ARABIC, WIDE] = [
  '\u{664}'.concat('\u{661}'.repeat(15)),
  '\u{FF14}\u{FF11}\u{FF11}\u{FF11}111111111111',
]

test.each<[string, ...namesAndValues: string[]]>([
  ['JSON sent as a form', `{"credit_card_number":"${PAN}","cvv2":"${CVV}"}`],
  ['a form encoded once more', `credit_card_number=${PAN}&cvv2=${CVV}`],
  ['pairs with semicolons', 'amount', `10;credit_card_number=${PAN};cvv2=${CVV}`],
  ['pairs with colons', `amount: 10\ncvv2: ${CVV}\npan: ${PAN}`],
  ['pairs behind a bar', 'client_orderid', `o1|cvv2=${CVV}`],
  ['pairs behind a slash', 'client_orderid', `o1/cvv2:${CVV}`],
  ['pairs in a nonce', 'oauth_nonce', `n&cvv2=${CVV}`],
  ['JSON in a field', 'client_orderid', `{"cvv2":"${CVV}"}`],
  ['XML', `<cvv2>${CVV}</cvv2><pan>${PAN}</pan>`],
  ['arrays', 'card[cvv2]', CVV, 'card[number]', PAN],
  ['other names of card fields', 'cvc', CVV, 'pan', PAN, 'CVV2', CVV, 'cvv2 ', CVV],
  ['texts', 'order_desc', `card ${PAN}`, 'client_orderid', '4111-1111-1111-1111'],
  ['grouped digits', 'purpose', '4111/1111/1111/1111', 'email', `${PAN}@shop.example`],
  ['wide digits', 'city', WIDE],
  ['Arabic digits', 'city', ARABIC],
  ['mathematical digits', 'city', '\u{1D7D2}'.concat('\u{1D7CF}'.repeat(15))],
  ['digits under marks', 'city', '4\u0301'.concat('1\u0327'.repeat(15))],
  ['a login and a nonce', 'oauth_consumer_key', PAN, 'oauth_nonce', PAN],
])('leaves no card number and no verification value in %s', (_, ...texts) => {
  const pairs = texts.flatMap((name, at) =>
    at % 2 === 0 ? [[name, texts[at + 1] ?? ''] as const] : [],
  )
  const shown = decodeURIComponent(decodeURIComponent(masked(pairs).normalize('NFKC')))
  expect(shown).not.toMatch(/1111|[\uFF11\u0661]|1\u0327|739/u)
  expect(shown.split('&')[0]).toBe('POST')
})

test('masks a card number in the path', () => {
  const shown = masked([], `https://gate.example/gate/api/v4/transfer/${PAN}`)
  expect(shown).toContain(`transfer%2F${'*'.repeat(16)}&`)
})

test.each([
  URL.replace('1144', '%34111111111111111'),
  URL.replace('1144', encodeURIComponent('\u{664}'.concat('\u{661}'.repeat(15)))),
])('masks a card number in the path %s, in any encoding', (url) => {
  expect(masked([], url)).not.toMatch(/34|111|D9.*D9/)
})

test('masks all digits of a text that holds a card number', () => {
  expect(maskText('got 4111 1111 1111 1111, twice')).toBe('got **** **** **** ****, twice')
  expect(maskText('got o1|cvv2=739')).toBe('got o*|cvv*=***')
  expect(maskText(`got ${'\u{664}'.repeat(4)}`)).toBe(`got ${'\u{664}'.repeat(4)}`)
  expect(maskText('\u{664}'.concat('\u{661}'.repeat(15)))).toBe('*'.repeat(16))
})

test.each(['9 ', '4-', '4111 ', '\u0301\u0327', '\u{FF14}'])(
  'masks a base string of 64 KiB of %j in linear time',
  (piece) => {
    const encoded = encodeURIComponent(encodeURIComponent(piece))
    const text = encoded.repeat((64 * 1024) / encoded.length)
    const before = process.threadCpuUsage()
    for (const base of [`order_desc%3D${text}`, `${text}%3D`, `${text}&a%3D1`]) {
      maskBaseString(`POST&x&${base}`)
    }
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1e6).toBeLessThan(0.5)
  },
)
