import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { constants, gzipSync } from 'node:zlib'
import { CONSOLE_FILES } from '@counterfoil/console'
import type { Config } from '../config/config.ts'
import { chooseCoding } from '../http/content-coding.ts'
import type { PublicAnswer } from '../http/reply.ts'
import type { Log } from '../observe/log.ts'

const INDEX = 'index.html'

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * What a page of the console may do: load its own files, and send requests to the gateway that served it. No other
 * host, no inline code, no frame.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const PAGE_HEADERS = {
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
}

/** Reads the files of the console, unless it is switched off. The root of the gateway's address leads to it. */
export function openConsole(
  settings: Config['console'],
  log: Log,
): ReadonlyMap<string, PublicAnswer> {
  if (!settings) return new Map()
  const { path } = settings
  if (!existsSync(join(CONSOLE_FILES, INDEX))) {
    log.warn(`The console is not built, so nothing is at ${path}. Run "npm run console".`)
    return new Map()
  }
  const names = readdirSync(CONSOLE_FILES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(CONSOLE_FILES, join(entry.parentPath, entry.name)))
  const headers = { Location: `${path}/`, 'Cache-Control': 'no-store' }
  const toPage: PublicAnswer = { status: 302, headers, text: '' }
  return new Map([
    ...names.map((name) => [`${path}/${name === INDEX ? '' : name}`, readFile(name)] as const),
    ['/', toPage],
    [path, toPage],
  ])
}

/** Holds a file in memory, as it is and compressed. Answers with status 304 if the caller has it. */
function readFile(name: string): PublicAnswer {
  const bytes = readFileSync(join(CONSOLE_FILES, name))
  const contentType = CONTENT_TYPES[extname(name)]
  if (contentType === undefined) throw new Error(`expected no file of the console such as ${name}`)
  const gzip = gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION })
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`
  const headers = {
    ...PAGE_HEADERS,
    // Vite writes a hash of the content into the name of every file but the page.
    'Cache-Control': name === INDEX ? 'no-cache' : 'public, max-age=31536000, immutable',
    'X-Content-Type-Options': 'nosniff',
    ETag: etag,
    Vary: 'Accept-Encoding',
  }
  return (asked) => {
    if (asked['if-none-match'] === etag) return { status: 304, headers, text: '' }
    const coding = chooseCoding(asked, ['gzip'])
    const content = { 'Content-Type': contentType, ...(coding && { 'Content-Encoding': coding }) }
    return { status: 200, headers: { ...headers, ...content }, text: coding ? gzip : bytes }
  }
}
