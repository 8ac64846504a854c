import { expect, test, vi } from 'vitest'

test('checks JSON without code from strings, which a strict Content-Security-Policy reports', async () => {
  const created = vi.fn<(...args: readonly unknown[]) => void>()
  const original = globalThis.Function
  globalThis.Function = new Proxy(original, {
    construct: (target, args) => {
      created(...args)
      return Reflect.construct(target, args)
    },
  })
  try {
    const { conforms, jwksSchema } = await import('./index.ts')
    expect(conforms(jwksSchema, { keys: [{ kty: 'OKP', other: 1 }] })).toBe(true)
    expect(conforms(jwksSchema, { keys: [{}] })).toBe(false)
  } finally {
    globalThis.Function = original
  }
  expect(created).not.toHaveBeenCalled()
})
