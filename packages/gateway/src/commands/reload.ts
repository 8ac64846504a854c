import type { Command } from 'commander'
import * as z from 'zod'
import { controlSocketFile, loadConfig } from '../config/config.ts'
import { askGateway } from '../control/ask-gateway.ts'
import { GatewayError } from '@counterfoil/common'
import { addCommand } from './config-option.ts'

const reloadedSchema = z.object({
  reports: z.array(z.string()),
  checked: z.number(),
  certificate: z.object({ file: z.string(), validTo: z.string() }).optional(),
})

/** Adds `reload`, which makes a running gateway read its report files and its certificate again. */
export function addReloadCommand(program: Command): void {
  addCommand(program, 'reload', {
    summary: 'make the running gateway read its report files again',
    description:
      'Makes the running gateway read its report files and its TLS certificate again. Running reports continue. ' +
      'If a report file is broken, the gateway keeps all its reports. If the certificate is broken, the gateway keeps ' +
      'the old one. In both cases the command prints every fault and ends with 1. After a change of the configuration ' +
      'file, restart the gateway.',
    examples: ['reload --config gateway.yaml'],
  }).action(async (options: { config: string }) => {
    const file = controlSocketFile(loadConfig(options.config))
    const answer = await askGateway(file, 'reload')
    if (answer === undefined) {
      const message = `No gateway runs on ${options.config}. Start one with "counterfoil-gateway serve"`
      throw new GatewayError('control', message)
    }
    const { reports, checked, certificate } = reloadedSchema.parse(answer.result)
    console.log(`Loaded ${reports.length} reports: ${reports.join(', ')}.`)
    console.log(describeChecks(checked, reports.length))
    if (certificate === undefined) return
    console.log(`Loaded the certificate ${certificate.file}, valid until ${certificate.validTo}.`)
  })
}

function describeChecks(checked: number, count: number): string {
  if (checked === 0) return 'No report file has changed since its check.'
  const rest = checked < count ? ' The others have not changed since their check.' : ''
  return `Checked ${checked} of ${count} report files.${rest}`
}
