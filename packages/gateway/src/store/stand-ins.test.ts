import { expect, test } from 'vitest'
import { LIMITS } from '../limits.ts'
import type { LoginWithKeys } from './store.ts'
import { StandIns } from './stand-ins.ts'

const makeLogin = (name: string): LoginWithKeys => {
  const [role, createdAt] = ['merchant' as const, new Date()]
  return { name, role, sees: [1], bodyHashRequired: false, createdAt, keys: [] }
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

test('chooses differently in each process, so that no stranger knows which names have the same stand-in', () => {
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
