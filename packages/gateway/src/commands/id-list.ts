import { isId } from '@counterfoil/protocol'

const NEEDS_QUOTES = /[",]/
const ELEMENT = /\s*(?:"((?:[^"]|"")*)"|([^",]*?))\s*(,|$)/gy

/** Writes ids with commas between them. An id with a comma or a quote has quotes around it, as in CSV. */
export function formatIds(ids: readonly string[]): string {
  const written = ids.map((id) => (NEEDS_QUOTES.test(id) ? `"${id.replaceAll('"', '""')}"` : id))
  return written.join(', ')
}

/** Reads ids with commas between them, each once. Returns `undefined` if one of them is no id. */
export function readIds(text: string): string[] | undefined {
  const ids = new Set<string>()
  for (const [, quoted, plain = '', end] of text.matchAll(ELEMENT)) {
    const id = quoted?.replaceAll('""', '"') ?? plain
    if (!isId(id)) return undefined
    ids.add(id)
    if (end === '') return [...ids]
  }
  return undefined
}
