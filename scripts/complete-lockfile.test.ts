import { expect, test } from 'vitest'
import { missingPackages } from './complete-lockfile.ts'

test('the platforms that a lockfile speaks of and lacks are named, with what they run on', () => {
  const optionalDependencies = { '@a/linux-x64': '1.2.3', '@a/linux-arm64-musl': '1.2.3' }
  const packages = {
    'node_modules/a': { version: '1.2.3', dev: true, optionalDependencies },
    'node_modules/a/node_modules/@a/linux-x64': { version: '1.2.3' },
  }
  const platform = { os: ['linux'], cpu: ['arm64'], libc: ['musl'] }
  expect(missingPackages({ packages })).toEqual({
    'node_modules/@a/linux-arm64-musl': {
      version: '1.2.3',
      dev: true,
      optional: true,
      ...platform,
    },
  })
})

test('a name that tells no platform is refused: nothing is guessed', () => {
  const packages = { 'node_modules/a': { optionalDependencies: { fast: '1.2.3' } } }
  expect(() => missingPackages({ packages })).toThrow('one system and one processor: fast')
})
