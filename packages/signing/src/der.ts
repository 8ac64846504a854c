/** An ASN.1 element in DER. */
export interface Element {
  readonly tag: number
  /** The element with its tag and length. */
  readonly bytes: Uint8Array
  /** The content alone. */
  readonly content: Uint8Array
}

/** The tags in RSA keys and certificates (X.690, 8). */
export const TAG = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectIdentifier: 0x06,
  sequence: 0x30,
  explicit0: 0xa0,
} as const

/** Reads the elements that follow each other in `bytes`. Returns undefined if `bytes` is not DER. */
export function readElements(bytes: Uint8Array): Element[] | undefined {
  const elements: Element[] = []
  for (let start = 0; start < bytes.length; ) {
    const element = readElement(bytes.subarray(start))
    if (element === undefined) return undefined
    elements.push(element)
    start += element.bytes.length
  }
  return elements
}

/** Reads the elements inside the one sequence in `bytes`. Returns undefined if `bytes` is anything else. */
export function readSequence(bytes: Uint8Array): Element[] | undefined {
  const element = readElement(bytes)
  if (element?.tag !== TAG.sequence || element.bytes.length !== bytes.length) return undefined
  return readElements(element.content)
}

/** Writes one element: the tag, the length, and the parts of its content (X.690, 8.1). */
export function writeElement(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const lengthBytes = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) lengthBytes.unshift(rest % 256)
  const head = length < 128 ? [tag, length] : [tag, 0x80 | lengthBytes.length, ...lengthBytes]
  const element = new Uint8Array(head.length + length)
  element.set(head)
  let offset = head.length
  for (const part of parts) {
    element.set(part, offset)
    offset += part.length
  }
  return element
}

function readElement(bytes: Uint8Array): Element | undefined {
  const [tag, first] = bytes
  if (tag === undefined || first === undefined) return undefined
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f
  if (first === 0x80 || lengthBytes > 3) return undefined
  let length = lengthBytes === 0 ? first : 0
  for (const byte of bytes.subarray(2, 2 + lengthBytes)) length = length * 256 + byte
  const start = 2 + lengthBytes
  if (start + length > bytes.length) return undefined
  return {
    tag,
    bytes: bytes.subarray(0, start + length),
    content: bytes.subarray(start, start + length),
  }
}
