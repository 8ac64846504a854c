import { expect, test } from 'vitest'
import { missingPackages } from './complete-lockfile.ts'

test('finds the missing packages of other platforms, with their platform', () => {
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
