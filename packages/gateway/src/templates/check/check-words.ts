import * as z from 'zod'
import { type Engine, readRows } from '../../engine/engine.ts'
import { expectedClause, REFUSED_CLAUSES, type SqlFault } from './check-sql.ts'

const wordsRow = z.object({
  parses: z.number(),
  tokens: z.array(z.object({ type: z.string(), text: z.string() })),
})

type Words = z.output<typeof wordsRow>

/** A piece of a report's SQL, and a query of it. */
export interface PieceOfSql {
  readonly sql: string
  readonly query: string
}

/** A placeholder of a caller's value, as `{name:Type}`. */
export interface Placeholder {
  readonly written: string
  readonly name: string
  readonly type: string
}

/** What the words of a piece are. */
export interface CheckedWords {
  readonly fault: SqlFault | undefined
  readonly placeholders: readonly Placeholder[]
}

/**
 * Checks the words of pieces, as the engine takes them apart: each stands on its own, whatever is put around it.
 * Returns what is wrong with each of them, or nothing, and its placeholders.
 */
export async function checkWords(
  engine: Engine,
  pieces: readonly PieceOfSql[],
): Promise<readonly CheckedWords[]> {
  const rows = await readRows(engine, wordsRow, {
    sql: `SELECT formatQuerySingleLineOrNull(piece.2) IS NOT NULL AS parses, arrayMap(
      token -> CAST(
        (toString(token.type), substring(piece.1, token.begin + 1, token.end - token.begin)),
        'Tuple(type String, text String)'),
      tokenizeQuery(piece.1)) AS tokens
    FROM (SELECT arrayJoin(arrayZip({pieces:Array(String)}, {queries:Array(String)})) AS piece)`,
    parameters: {
      pieces: pieces.map(({ sql }) => sql),
      queries: pieces.map(({ query }) => query),
    },
  })
  return rows.map((words) => {
    return { fault: faultOfWords(words), placeholders: placeholdersOf(words) }
  })
}

/** Reads placeholders as the engine does: comments may stand anywhere in one, and braces in a text of its type. */
function placeholdersOf({ tokens }: Words): readonly Placeholder[] {
  return tokens.flatMap((opening, start) => {
    if (opening.type !== 'OpeningCurlyBrace') return []
    const length = tokens.slice(start).findIndex(({ type }) => type === 'ClosingCurlyBrace') + 1
    const inside = tokens.slice(start, length === 0 ? undefined : start + length)
    const [, name, colon, ...type] = inside.filter((token) => !BLANK.has(token.type))
    if (name?.type !== 'BareWord' || colon?.type !== 'Colon') return []
    const textOf = (some: Words['tokens']): string => some.map(({ text }) => text).join('')
    return [{ written: textOf(inside), name: name.text, type: textOf(type.slice(0, -1)) }]
  })
}

const BLANK: ReadonlySet<string> = new Set(['Whitespace', 'Comment'])

function faultOfWords({ parses, tokens }: Words): SqlFault | undefined {
  const name = tokens.find(({ type, text }) => {
    return type === 'QuotedIdentifier' && !/^.[\p{L}\p{N}_ .-]+.$/u.test(text)
  })
  if (name) {
    const got = name.text.replaceAll(/\p{Cc}/gu, ' ')
    return { expected: `a name of letters, digits, spaces, "_", "." and "-", got ${got}` }
  }
  const words = tokens
    .filter(({ type }) => !TEXTS.has(type))
    .map(({ text }) => text)
    .join(' ')
  if (/\{ \w+ : Identifier \}/.test(words)) {
    return { expected: 'no placeholder of the type Identifier: a caller chooses values, not names' }
  }
  if (/\bCOLLATE\b/i.test(words)) return expectedClause('COLLATE')
  if (parses === 1 && standsAlone(tokens)) return undefined
  const clause = Object.keys(REFUSED_CLAUSES).find((written) => {
    return new RegExp(`\\b${written}\\b`, 'i').test(words)
  })
  return clause === undefined
    ? { expected: 'SQL that stands on its own, with its quotes and parentheses closed' }
    : expectedClause(clause)
}

/** Tokens that hold a text or nothing. */
const TEXTS: ReadonlySet<string> = new Set([
  'Whitespace',
  'Comment',
  'StringLiteral',
  'HereDoc',
  'QuotedIdentifier',
])

/** Whether there is something, and every parenthesis is closed where it was opened: none that is put around it is. */
function standsAlone(tokens: Words['tokens']): boolean {
  let depth = 0
  for (const { type } of tokens) {
    if (type === 'OpeningRoundBracket') depth += 1
    if (type === 'ClosingRoundBracket') depth -= 1
    if (depth < 0 || type === 'Semicolon' || type.startsWith('Error')) return false
  }
  return depth === 0 && tokens.some(({ type }) => type !== 'Whitespace' && type !== 'Comment')
}
