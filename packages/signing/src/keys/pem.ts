import { decodeBase64 } from './base64.ts'
import { SigningError } from '../refusals/signing-error.ts'

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

/** Reads a PEM text with one block (RFC 7468) and any text around it. Throws `key` for any other text. */
export function readPem(source: string | Uint8Array): PemBlock {
  const pem = typeof source === 'string' ? source : new TextDecoder().decode(source)
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

function withoutBlock(pem: string): string {
  if (/^(ssh|ecdsa)-/.test(pem.trim())) {
    return 'expected a PEM key, got an OpenSSH one: convert it with "ssh-keygen -e -m PKCS8 -f FILE"'
  }
  return 'expected a PEM text with a line "-----BEGIN ...-----", not the name of a file'
}

function unreadable(message: string): SigningError {
  return new SigningError('key', message)
}

// Runtimes import PKCS#8 and SPKI. These functions turn the other forms of RSA keys into them.

const INTEGER = 0x02
const BIT_STRING = 0x03
const OCTET_STRING = 0x04
const SEQUENCE = 0x30

/** The algorithm rsaEncryption (RFC 8017, A.1). */
const ALGORITHM = Uint8Array.from([
  0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
])
const VERSION_0 = Uint8Array.of(INTEGER, 1, 0)

/** Wraps a PKCS#1 private key in PKCS#8 (RFC 5208, 5). */
export function wrapPrivateKey(pkcs1: Uint8Array): Uint8Array {
  return element(SEQUENCE, VERSION_0, ALGORITHM, element(OCTET_STRING, pkcs1))
}

/** Wraps a PKCS#1 public key in SPKI (RFC 5280, 4.1.2.7). */
export function wrapPublicKey(pkcs1: Uint8Array): Uint8Array {
  return element(SEQUENCE, ALGORITHM, element(BIT_STRING, Uint8Array.of(0), pkcs1))
}

/** Writes a public key as SPKI. The numbers are big-endian, with a leading zero byte if the first bit is set. */
export function writePublicKey(modulus: Uint8Array, exponent: Uint8Array): Uint8Array {
  return wrapPublicKey(element(SEQUENCE, element(INTEGER, modulus), element(INTEGER, exponent)))
}

/** Writes an element of DER: the tag, the length, and the parts of its content (X.690, 8.1). No key is longer. */
function element(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = parts.flatMap((part) => [...part])
  const { length } = content
  if (length < 128) return new Uint8Array([tag, length, ...content])
  if (length < 256) return new Uint8Array([tag, 0x81, length, ...content])
  return new Uint8Array([tag, 0x82, length >> 8, length & 0xff, ...content])
}
