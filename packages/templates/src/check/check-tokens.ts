import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'
import { expectedClause, REFUSED_CLAUSES } from './check-sql.ts'

const tokenRow = z.object({
  parses: z.number(),
  tokens: z.array(z.object({ type: z.string(), text: z.string() })),
})

type TokenRow = z.output<typeof tokenRow>

/** The placeholders of a piece, and its fault: the text after `expected`. */
export type CheckedTokens = Awaited<ReturnType<typeof checkTokens>>[number]

/** Checks the tokens of pieces of SQL. A piece must be complete, so that the SQL around it cannot change it. */
export async function checkTokens(
  engine: Queries,
  pieces: readonly { readonly sql: string; readonly query: string }[],
) {
  const rows = await readRows(engine, tokenRow, {
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
  return rows.map((row) => {
    return { fault: faultOfTokens(row), placeholders: placeholdersOf(row) }
  })
}

/** Reads placeholders such as `{name:Type}`, as the engine does. They may contain comments, and braces in a text. */
function placeholdersOf({ tokens }: TokenRow) {
  return tokens.flatMap((opening, start) => {
    if (opening.type !== 'OpeningCurlyBrace') return []
    const length = tokens.slice(start).findIndex(({ type }) => type === 'ClosingCurlyBrace') + 1
    const inside = tokens.slice(start, length === 0 ? undefined : start + length)
    const [, name, colon, ...type] = inside.filter((token) => !BLANK.has(token.type))
    if (name?.type !== 'BareWord' || colon?.type !== 'Colon') return []
    const textOf = (some: TokenRow['tokens']): string => some.map(({ text }) => text).join('')
    return [{ written: textOf(inside), name: name.text, type: textOf(type.slice(0, -1)) }]
  })
}

const BLANK: ReadonlySet<string> = new Set(['Whitespace', 'Comment'])

function faultOfTokens({ parses, tokens }: TokenRow): string | undefined {
  const name = tokens.find(({ type, text }) => {
    return type === 'QuotedIdentifier' && !/^.[\p{L}\p{N}_ .-]+.$/u.test(text)
  })
  if (name) {
    const got = name.text.replaceAll(/\p{Cc}/gu, ' ')
    return `a name of letters, digits, spaces, "_", "." and "-", got ${got}`
  }
  const code = tokens
    .filter(({ type }) => !TEXTS.has(type))
    .map(({ text }) => text)
    .join(' ')
  if (/\{ \w+ : Identifier \}/.test(code)) {
    return 'no placeholder of the type Identifier: a caller chooses values, not names'
  }
  if (/\bCOLLATE\b/i.test(code)) return expectedClause('COLLATE')
  if (parses === 1 && standsAlone(tokens)) return undefined
  const clause = Object.keys(REFUSED_CLAUSES).find((written) => {
    return new RegExp(`\\b${written}\\b`, 'i').test(code)
  })
  return clause === undefined
    ? 'SQL that stands on its own, with its quotes and parentheses closed'
    : expectedClause(clause)
}

/** Tokens that are a text, a comment or blank. */
const TEXTS: ReadonlySet<string> = new Set([
  'Whitespace',
  'Comment',
  'StringLiteral',
  'HereDoc',
  'QuotedIdentifier',
])

/** Whether a piece has a token and closes its own parentheses, so that it cannot close one around it. */
function standsAlone(tokens: TokenRow['tokens']): boolean {
  let depth = 0
  for (const { type } of tokens) {
    if (type === 'OpeningRoundBracket') depth += 1
    if (type === 'ClosingRoundBracket') depth -= 1
    if (depth < 0 || type === 'Semicolon' || type.startsWith('Error')) return false
  }
  return depth === 0 && tokens.some(({ type }) => type !== 'Whitespace' && type !== 'Comment')
}
