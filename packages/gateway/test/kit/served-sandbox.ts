import { afterAll } from 'vitest'
import { type RunningGateway, serve } from './running-gateway.ts'
import { makeSandbox, type Sandbox } from './sandbox.ts'

/** Everything that `serve` takes beside the sandbox. */
type ServeOptions = Parameters<typeof serve> extends [Sandbox, ...infer Others] ? Others : never

/**
 * Makes a sandbox and serves it until the last test of the file has run.
 *
 * @param sandboxOptions what `makeSandbox` takes
 * @param serveOptions what `serve` takes beside the sandbox
 */
export async function serveSandbox(
  sandboxOptions: Parameters<typeof makeSandbox> = [],
  ...serveOptions: ServeOptions
): Promise<{ readonly sandbox: Sandbox; readonly gateway: RunningGateway }> {
  const sandbox = await makeSandbox(...sandboxOptions)
  const gateway = await serve(sandbox, ...serveOptions)
  afterAll(async () => {
    await gateway.close()
    sandbox.remove()
  })
  return { sandbox, gateway }
}
