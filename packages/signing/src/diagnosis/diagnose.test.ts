import { describe, expect, it } from 'vitest'
import { CONTROL_KEY, send } from '../../test/mistaken-caller.ts'
import { BASE_STRING_CASES } from '../../test/mistakes-in-base-strings.ts'
import { HEADERS } from '../../test/mistakes-in-headers.ts'
import { KEY_CASES, RSA_CALLER } from '../../test/mistakes-with-keys.ts'
import { KEYS } from '../../test/vectors.ts'
import { diagnose, importControlKey, importPublicKey, MISTAKES, REFUSAL_STEPS } from '../index.ts'

const keys = [await importControlKey(CONTROL_KEY)]
const publicKey = await importPublicKey(KEYS.public.spki)

describe('diagnose names', () => {
  for (const [axis, made] of Object.entries({ ...BASE_STRING_CASES, ...KEY_CASES })) {
    for (const [index, [code, change, caller, options]] of made.entries()) {
      it(`${code} (${axis} ${index + 1})`, async () => {
        const request = await send(change, caller)
        const used = caller === RSA_CALLER ? [publicKey] : keys
        const diagnosis = await diagnose(request, { keys: used, ...options })
        expect(diagnosis).toMatchObject({ outcome: 'mistake', mistake: { code } })
        expect(diagnosis.secondMistake).toBe(undefined)
      })
    }
  }

  for (const [index, [code, header, change, options]] of HEADERS.entries()) {
    it(`${code} (header ${index + 1})`, async () => {
      const request = await send({ ...change })
      const authorization = header(String(request.authorization))
      const diagnosis = await diagnose({ ...request, authorization }, { keys, ...options })
      expect(diagnosis).toMatchObject({ outcome: 'mistake', mistake: { code } })
    })
  }

  it('each of its mistakes but the refusals in a test', () => {
    const tables = { ...BASE_STRING_CASES, ...KEY_CASES, HEADERS }
    const tested = new Set(Object.values(tables).flatMap((made) => made.map(([code]) => code)))
    const left = MISTAKES.filter(({ code }) => !tested.has(code) && !(code in REFUSAL_STEPS))
    expect(left).toEqual([])
  })
})
