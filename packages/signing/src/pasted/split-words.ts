const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '0': '\0' }

/** A piece of a word: in single, ANSI-C or double quotes, after a backslash, or plain. */
const PIECE =
  /'([^']*)'|\$'((?:[^'\\]|\\[^])*)'|"((?:[^"\\]|\\[^])*)"|\\(\r?\n|[^])|([^\s'"\\]+)|(\s+)/gy

/** Whether a shell would replace a part of a command line, such as `$(date +%s)`. */
export function hasSubstitution(line: string): boolean {
  return [...line.matchAll(PIECE)].some(([, , , double, , plain]) => {
    return /\$[\w({]|`/.test((double ?? plain ?? '').replaceAll(/\\[^]/g, ''))
  })
}

/** Splits a command line into words as a POSIX shell does, without expanding anything. */
export function splitWords(line: string): readonly string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let end = 0
  for (const piece of line.matchAll(PIECE)) {
    const [all, single, ansi, double, escaped, plain, space] = piece
    end = piece.index + all.length
    if (space !== undefined) {
      if (word !== undefined) words.push(word)
      word = undefined
      continue
    }
    if (escaped?.endsWith('\n')) continue
    const text = single ?? (ansi === undefined ? undefined : unescapeAnsi(ansi))
    word =
      (word ?? '') + (text ?? double?.replaceAll(/\\([$`"\\]|\n)/g, '$1') ?? escaped ?? plain ?? '')
  }
  if (end !== line.length) return undefined
  return word === undefined ? words : [...words, word]
}

function unescapeAnsi(text: string): string {
  const pattern = /\\(?:u([\da-f]{1,4})|x([\da-f]{1,2})|([^]))/gi
  return text.replaceAll(pattern, (_, unicode?: string, byte?: string, letter?: string) => {
    const hex = unicode ?? byte
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16))
    return ESCAPES[letter ?? ''] ?? letter ?? ''
  })
}
