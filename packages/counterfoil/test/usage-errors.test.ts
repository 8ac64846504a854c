import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendReport, startGateway } from '../../client/test/fixture-gateway.ts'
import { folder, merchantEnv, useFolder } from './fixture.ts'
import { runHere } from './run-command.ts'

useFolder()

test.each([
  [
    'no identifier',
    [],
    /missing the IDENTIFIER of the report.*\nSee: counterfoil report --help\n$/,
  ],
  ['an unknown option', ['x', '--endpont=1'], /option '--endpont'\n\(Did you mean --endpoint\?\)/],
  ['a parameter without a value', ['x', '--parameter', 'statuses'], /Expected NAME=VALUE/],
  ['an unknown filter', ['x', '--filter', 'shops=1'], /Expected one of gates, companies/],
  ['a filter without ids', ['x', '--filter', 'merchants='], /Expected ids/],
  ['two keys', ['x', '--control-key-file', 'a', '--private-key', 'b'], /expected one key/],
  [
    'a key file that is not there',
    ['x', '--control-key-file', 'none'],
    /--control-key-file: .*ENOENT/,
  ],
  [
    'a private key file without a key',
    ['x', '--private-key', 'broken.json'],
    /^counterfoil: --private-key: broken\.json holds no PEM key \(no line -----BEGIN \.\.\.-----\)\n/,
  ],
  ['a request file that is not there', ['x', '--request', 'none.json'], /--request: .*ENOENT/],
  [
    'a request file that is no JSON',
    ['x', '--request', 'broken.json'],
    /--request: expected a JSON object in broken\.json/,
  ],
  ['parts without a file', ['x', '--split', 'day'], /--split needs a file/],
  ['parts by another unit', ['x', '--split', 'week'], /Allowed choices are day/],
  ['JSON and bytes on one output', ['x', '--json', '-o', '-'], /not both/],
  [
    'an endpoint over plain HTTP',
    ['x', '--endpoint', 'http://gateway.example/'],
    /expected https:/,
  ],
  [
    'a passphrase that is not set',
    ['x', '--private-key', 'broken.json', '--passphrase-env', 'NO'],
    /variable NO is not set/,
  ],
])('ends with exit code 2 for %s', async (_, options, message) => {
  const gateway = await startGateway((response) => sendReport(response))
  const env = merchantEnv(gateway)
  await writeFile(join(folder, 'broken.json'), '{')
  const { code, stderr } = await runHere(['report', ...options], { folder, env })
  expect(stderr).toMatch(message)
  expect(code).toBe(2)
  expect(gateway.received).toEqual([])
})
