import { afterAll } from 'vitest'
import { type RunningGateway, serve } from './running-gateway.ts'
import { makeSandbox, type Sandbox } from './sandbox.ts'

/** Changes to the usual configuration. */
type Change = Readonly<Record<string, unknown>>

/** Makes a sandbox until the last test of the file has run. */
export async function useSandbox(...options: Parameters<typeof makeSandbox>): Promise<Sandbox> {
  const sandbox = await makeSandbox(...options)
  afterAll(() => sandbox.remove())
  return sandbox
}

/**
 * Makes a sandbox and serves it until the last test of the file has run.
 *
 * @param sandboxOptions what `makeSandbox` takes
 * @param change changes to the usual configuration; a function adds files to the sandbox first
 * @param level the level of the log
 */
export async function serveSandbox(
  sandboxOptions: Parameters<typeof makeSandbox> = [],
  change: Change | ((sandbox: Sandbox) => Change | Promise<Change>) = {},
  level?: Parameters<typeof serve>[2],
): Promise<{ readonly sandbox: Sandbox; readonly gateway: RunningGateway }> {
  const sandbox = await useSandbox(...sandboxOptions)
  const changed = typeof change === 'function' ? await change(sandbox) : change
  const gateway = await serve(sandbox, changed, level)
  afterAll(() => gateway.close())
  return { sandbox, gateway }
}
