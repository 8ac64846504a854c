import { expect, test } from 'vitest'
import { LIMITS } from '../limits.ts'
import type { LoginWithKeys } from './store.ts'
import { StandIns } from './stand-ins.ts'

const makeLogin = (name: string, createdAt = new Date()): LoginWithKeys => {
  return { name, role: 'merchant', sees: [1], bodyHashRequired: false, createdAt, keys: [] }
}

test('chooses the same login for a name, and each login for some name', () => {
  const known = new Map(['a', 'b', 'c'].map((name) => [name, makeLogin(name)]))
  const standIns = new StandIns(known)
  const names = Array.from({ length: 100 }, (_, index) => `nobody-${index}`)
  const chosen = names.map((name) => standIns.find(name)?.name)
  expect(new Set(chosen)).toEqual(new Set(['a', 'b', 'c']))
  expect(names.map((name) => standIns.find(name)?.name)).toEqual(chosen)
})

test('chooses from the logins that are known after a change', () => {
  const known = new Map<string, LoginWithKeys>()
  const standIns = new StandIns(known)
  expect(standIns.find('nobody')).toBeUndefined()
  known.set('a', makeLogin('a'))
  standIns.forget()
  expect(standIns.find('nobody')?.name).toBe('a')
  expect(standIns.find('x'.repeat(16_384))?.name).toBe('a')
})

test('chooses by a random secret, so that no stranger knows which names have the same stand-in', () => {
  const known = new Map(['a', 'b', 'c'].map((name) => [name, makeLogin(name)]))
  const names = Array.from({ length: 100 }, (_, index) => `nobody-${index}`)
  const chosenBy = (standIns: StandIns) => names.map((name) => standIns.find(name)?.name)
  expect(chosenBy(new StandIns(known))).not.toEqual(chosenBy(new StandIns(known)))
})

test('chooses differently for a name of the maximum length and for a longer one that begins with it', () => {
  const known = new Map(['a', 'b', 'c'].map((name) => [name, makeLogin(name)]))
  const standIns = new StandIns(known)
  const names = Array.from({ length: 100 }, (_, index) => {
    return String(index).padEnd(LIMITS.loginLengthMax, 'x')
  })
  const chosen = names.map((name) => standIns.find(name)?.name)
  expect(names.map((name) => standIns.find(`${name}x`)?.name)).not.toEqual(chosen)
})

test('reads a login and a stand-in from the known logins, so that both take the same time', () => {
  const read: string[] = []
  class Known extends Map<string, LoginWithKeys> {
    override get(name: string): LoginWithKeys | undefined {
      read.push(name)
      return super.get(name)
    }
  }
  const known = new Known([['a', makeLogin('a')]])
  const standIns = new StandIns(known)
  expect(standIns.find('nobody')?.name).toBe('a')
  expect(standIns.find('a', makeLogin('a'))?.name).toBe('a')
  expect(read).toEqual(['a', 'a'])
})

test('chooses the same stand-ins after a restart and at another gateway, in whatever order the logins come', () => {
  const logins = ['a', 'b', 'c'].map((name, index) => makeLogin(name, new Date(index)))
  const names = Array.from({ length: 100 }, (_, index) => `nobody-${index}`)
  const [one, other] = [logins, logins.toReversed()].map((ordered) => {
    const standIns = new StandIns(new Map(ordered.map((login) => [login.name, login])))
    standIns.useSecret('of the gateways')
    return names.map((name) => standIns.find(name)?.name)
  })
  expect(one).toEqual(other)
})

test('gives a new login to a few names, and leaves all others their stand-ins', () => {
  const logins = Array.from({ length: 20 }, (_, index) =>
    makeLogin(`old-${index}`, new Date(index)),
  )
  const known = new Map(logins.map((login) => [login.name, login]))
  const standIns = new StandIns(known)
  const names = Array.from({ length: 2000 }, (_, index) => `nobody-${index}`)
  const choose = () => names.map((name) => standIns.find(name)?.name)
  const before = choose()
  known.set('new', makeLogin('new', new Date(1000)))
  standIns.forget()
  const moved = choose().filter((name, index) => name !== before[index])
  expect(new Set(moved)).toEqual(new Set(['new']))
  expect(moved.length).toBeLessThan(names.length / 10)
})

test('chooses each login for about as many names as any other', () => {
  const logins = ['a', 'b', 'c', 'd'].map((name) => makeLogin(name))
  const standIns = new StandIns(new Map(logins.map((login) => [login.name, login])))
  const counts = new Map<string | undefined, number>()
  for (let index = 0; index < 4000; index += 1) {
    const chosen = standIns.find(`nobody-${index}`)?.name
    counts.set(chosen, (counts.get(chosen) ?? 0) + 1)
  }
  for (const { name } of logins) expect(Math.abs((counts.get(name) ?? 0) - 1000)).toBeLessThan(200)
})
