import { type Browser, chromium as playwright } from 'playwright-core'

/** Starts the Chromium that comes from npm. Its caller closes it. */
export async function launchChromium(): Promise<Browser> {
  // The package unpacks its own libraries only if it believes that it runs in Lambda.
  process.env['AWS_EXECUTION_ENV'] ??= 'AWS_Lambda_nodejs22.x'
  const { default: chromium } = await import('@sparticuz/chromium')
  return await playwright.launch({
    executablePath: await chromium.executablePath(),
    // In a single process, the browser ends with its first page.
    args: [...chromium.args.filter((arg) => arg !== '--single-process'), '--no-sandbox'],
  })
}
