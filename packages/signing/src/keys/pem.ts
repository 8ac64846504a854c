import { decodeBase64 } from './base64.ts'
import { SigningError } from '../refusals/signing-error.ts'
import { wrongArgument } from '../refusals/wrong-argument.ts'

/** The one block of a PEM text. */
export interface PemBlock {
  /** The label after BEGIN, for example `RSA PRIVATE KEY`. */
  readonly label: string
  /** The block with its BEGIN and END lines. */
  readonly text: string
  /** The block's bytes. Undefined if the block is encrypted the old way (`Proc-Type: 4,ENCRYPTED`). */
  readonly der: Uint8Array | undefined
}

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[ \t]*\n([\s\S]*?)-----END ([A-Z0-9 ]+)-----/g
const ENCRYPTED_HEADER = /^Proc-Type:\s*4,\s*ENCRYPTED/

/**
 * Reads a PEM text with one block (RFC 7468), and ignores any text around the block. Throws `key` if there is no block,
 * more than one, an incomplete one, one whose labels differ, or invalid base64.
 */
export function readPem(source: string | Uint8Array): PemBlock {
  const pem = textOf(source)
  const begins = pem.split('-----BEGIN ').length - 1
  if (begins === 0) throw unreadable(withoutBlock(pem))
  if (begins > 1) throw unreadable(`expected one PEM block, got ${begins}`)
  if (/\\n/.test(pem)) {
    throw unreadable('expected line breaks in the PEM text, got "\\n" written as two characters')
  }
  BLOCK.lastIndex = 0
  const [text, label = '', content = '', endLabel] = BLOCK.exec(pem.replaceAll('\r', '')) ?? []
  if (text === undefined) {
    throw unreadable('expected a complete PEM block: a BEGIN line, lines of base64 and an END line')
  }
  if (label !== endLabel) {
    throw unreadable(`expected the END line to say ${label}, got ${endLabel}`)
  }
  if (ENCRYPTED_HEADER.test(content)) return { label, text, der: undefined }
  const der = decodeBase64(content.replaceAll(/\s/g, ''))
  if (der === undefined || der.length === 0) {
    throw unreadable('expected base64 between the BEGIN and END lines')
  }
  return { label, text, der }
}

function textOf(source: string | Uint8Array): string {
  if (typeof source === 'string') return source
  if (source instanceof Uint8Array) return new TextDecoder().decode(source)
  throw wrongArgument('a PEM key as a string or the bytes of its file', source, 'key')
}

function withoutBlock(pem: string): string {
  if (/^(ssh|ecdsa)-/.test(pem.trim())) {
    return 'expected a PEM key, got an OpenSSH one: convert it with "ssh-keygen -e -m PKCS8 -f FILE"'
  }
  return 'expected a PEM text with a line "-----BEGIN ...-----", not the name of a file'
}

function unreadable(message: string): SigningError {
  return new SigningError('key', message)
}
