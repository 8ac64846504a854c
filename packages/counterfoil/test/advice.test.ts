// @module-tag long

import { expect, test } from 'vitest'
import { sendReport, startGateway } from '../../client/test/fixture-gateway.ts'
import { makeCertificate } from '../../client/test/make-certificate.ts'
import { folder, merchantEnv, useFolder } from './fixture.ts'
import { runHere } from './run-command.ts'

useFolder()

/** Runs `counterfoil report` against a URL. */
async function report(endpoint: string, ...options: readonly string[]): Promise<string> {
  const env = merchantEnv({ endpoint })
  return (await runHere(['report', 'x', ...options], { folder, env })).stderr
}

const startTls = async (tls: { key: string; cert: string }) => {
  return await startGateway((response) => sendReport(response), tls)
}

const PASS_CA = /^Next: pass the gateway's certificate, or that of its authority, with --ca FILE/m

test('names --ca for a certificate that this machine does not trust', async () => {
  const root = await makeCertificate(folder, 'root', { name: 'root', dnsName: 'root.example.com' })
  const leaf = await makeCertificate(folder, 'leaf', { name: 'leaf', issuer: root })
  for (const chain of [[leaf], [leaf, root]]) {
    const { endpoint } = await startTls({ ...leaf, cert: chain.map(({ cert }) => cert).join('') })
    const untrusted = await report(endpoint)
    expect(untrusted).toMatch(
      /^counterfoil: network-error: this machine does not trust the certificate of 127\.0\.0\.1:/,
    )
    expect(untrusted).toMatch(PASS_CA)
    const trusted = await report(endpoint, '--ca', root.certificateFile, '--overwrite')
    expect(trusted).toMatch(/^Saved /)
  }
})

test('says what is wrong with another certificate, or without TLS', async () => {
  const names = { name: 'foreign', dnsName: 'reports.example.com' }
  const foreign = await makeCertificate(folder, 'foreign', names)
  const { endpoint } = await startTls(foreign)
  const stderr = await report(endpoint, '--ca', foreign.certificateFile)
  expect(stderr).toMatch(/the certificate of 127.0.0.1:\d+ is for DNS:reports.example.com\n/)
  expect(stderr).toMatch(/^Next: use a host name of the certificate in --endpoint/m)
  expect(await report(endpoint.replace('https:', 'http:'))).toMatch(
    /^counterfoil: network-error: no answer from .*; its port may speak TLS: use https:\n/,
  )
  const plain = await startGateway((response) => sendReport(response))
  const noTls = await report(plain.endpoint.replace('http:', 'https:'))
  expect(noTls).toMatch(/^counterfoil: network-error: 127.0.0.1:\d+ does not speak TLS\n/)
  expect(noTls).toMatch(/^Next: check the port of --endpoint, and whether it begins with http:/m)
})
