import { expect, test } from 'vitest'
import { checkSameOrigin } from './check-same-origin.ts'

const OWN = 'https://reports.example.com'

const check = (method: string, origin: string | undefined, fetchSite: string | undefined) => {
  checkSameOrigin({ method, browser: { cookie: undefined, origin, fetchSite } }, OWN)
}

test.each([
  ['GET', undefined, undefined],
  ['GET', undefined, 'same-origin'],
  ['POST', OWN, undefined],
  ['POST', undefined, 'same-origin'],
  ['DELETE', OWN, 'same-origin'],
])('takes a %s with Origin: %s and Sec-Fetch-Site: %s', (method, origin, fetchSite) => {
  expect(() => check(method, origin, fetchSite)).not.toThrow()
})

test.each([
  ['POST', undefined, undefined],
  ['DELETE', undefined, undefined],
  ['GET', 'https://evil.example.com', undefined],
  ['GET', undefined, 'none'],
  ['GET', undefined, 'cross-site'],
  ['POST', 'null', undefined],
  ['POST', '', 'same-origin'],
  ['POST', `${OWN}:8443`, 'same-origin'],
  ['POST', OWN.replace('https', 'http'), undefined],
  ['POST', `${OWN}, ${OWN}`, undefined],
  ['POST', OWN, 'same-site'],
  ['POST', 'https://sub.reports.example.com', undefined],
])('refuses a %s with Origin: %s and Sec-Fetch-Site: %s', (method, origin, fetchSite) => {
  expect(() => check(method, origin, fetchSite)).toThrow(
    expect.objectContaining({ code: 'cross-site-request' }),
  )
})
