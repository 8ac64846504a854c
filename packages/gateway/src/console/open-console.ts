import { CONSOLE_FILES } from '@counterfoil/console'
import type { Config } from '../config/config.ts'
import type { PublicFiles } from '../http/public-files.ts'
import type { Log } from '../observe/log.ts'
import { readFiles } from './read-files.ts'

/** Reads the files of the console, unless it is switched off. The root of the gateway's address leads to it. */
export function openConsole(settings: Config['console'], log: Log): PublicFiles {
  const nothing = { files: new Map<string, never>(), redirects: new Map<string, never>() }
  if (!settings) return nothing
  const { path } = settings
  const files = readFiles(CONSOLE_FILES, path)
  if (!files) {
    log.warn(`The console is not built, so nothing is at ${path}. Run "npm run console".`)
    return nothing
  }
  const page = `${path}/`
  return {
    files,
    redirects: new Map([
      ['/', page],
      [path, page],
    ]),
  }
}
