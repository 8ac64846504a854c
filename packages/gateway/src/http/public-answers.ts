import type { IncomingHttpHeaders } from 'node:http'
import { chooseCoding } from './content-coding.ts'
import { replyOf, type Reply } from './reply.ts'

/** Answers a request that needs no signature. */
export type PublicAnswer = (headers: IncomingHttpHeaders) => Reply | Promise<Reply>

/** A file that everybody may read. The gateway holds it in memory, as it is and compressed. */
export interface PublicFile {
  readonly contentType: string
  readonly bytes: Buffer
  readonly gzip: Buffer
  /** The validator of the bytes (RFC 9110, section 8.8.3). */
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
}

/** Answers with the same JSON at each request. */
export function jsonAnswer(content: object): PublicAnswer {
  const reply = replyOf(content)
  return () => reply
}

/** Leads to another path. */
export function redirectTo(path: string): PublicAnswer {
  return () => ({
    status: 302,
    headers: { Location: path, 'Cache-Control': 'no-store' },
    text: '',
  })
}

/** Answers with a file, or with status 304 if the caller has it. */
export function fileAnswer({ contentType, bytes, gzip, etag, headers }: PublicFile): PublicAnswer {
  return (asked) => {
    const common = {
      ...headers,
      'X-Content-Type-Options': 'nosniff',
      ETag: etag,
      Vary: 'Accept-Encoding',
    }
    if (asked['if-none-match'] === etag) return { status: 304, headers: common, text: '' }
    const coding = chooseCoding(asked, ['gzip'])
    return {
      status: 200,
      headers: {
        ...common,
        'Content-Type': contentType,
        ...(coding && { 'Content-Encoding': coding }),
      },
      text: coding ? gzip : bytes,
    }
  }
}
