import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium as playwright } from 'playwright-core'

const CACHE = join(import.meta.dirname, '../../../node_modules/.cache')
/** Where the browser stays unpacked. A run of tests removes its own temporary files. */
const UNPACKED = join(CACHE, 'chromium')

/** The package's own settings name the fonts of a folder into which only the package itself unpacks them. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir>${UNPACKED}/fonts-cache</cachedir>
</fontconfig>
`

/** Starts the Chromium that comes from npm. Its caller closes it. */
export async function launchChromium(): Promise<Browser> {
  // The package unpacks its own libraries only if it believes that it runs in Lambda.
  process.env['AWS_EXECUTION_ENV'] ??= 'AWS_Lambda_nodejs22.x'
  const { default: chromium } = await useFolder(UNPACKED, () => import('@sparticuz/chromium'))
  // A graphics card in software takes a sixth of the processor time of a page.
  chromium.setGraphicsMode = false
  const find = () => chromium.executablePath()
  if (!existsSync(UNPACKED)) await unpack(find)
  return await playwright.launch({
    executablePath: await useFolder(UNPACKED, find),
    env: { ...process.env, FONTCONFIG_FILE: join(UNPACKED, 'fonts.conf') },
    // The package's own flags are for Lambda. Among them, --no-zygote doubles the processor time of a new page, and
    // --single-process ends the browser with its first page. Without web security, a page sends every request to another
    // site, so that tests see what the gateway answers.
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--in-process-gpu',
      '--font-render-hinting=none',
      '--disable-web-security',
    ],
  })
}

/** Unpacks the browser. Test files run in parallel, so the folder gets its name when it is complete. */
async function unpack(find: () => Promise<string>): Promise<void> {
  mkdirSync(CACHE, { recursive: true })
  const part = mkdtempSync(`${UNPACKED}-`)
  await useFolder(part, find)
  writeFileSync(join(part, 'fonts.conf'), FONTS)
  try {
    renameSync(part, UNPACKED)
  } catch (error) {
    rmSync(part, { recursive: true })
    if (!existsSync(UNPACKED)) throw error
  }
}

/** Calls the package with `folder` for its files. The package knows only the folder for temporary files. */
async function useFolder<T>(folder: string, call: () => Promise<T>): Promise<T> {
  const { TMPDIR } = process.env
  process.env['TMPDIR'] = folder
  try {
    return await call()
  } finally {
    if (TMPDIR === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = TMPDIR
  }
}
