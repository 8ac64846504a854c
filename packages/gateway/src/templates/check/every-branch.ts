import * as z from 'zod'
import type { WrittenTree } from '../../clickhouse/query-tree.ts'
import { type Queries, readRows } from '../../engine/engine.ts'

/**
 * Rewrites a query so that the engine resolves every branch of `if`, `multiIf`, `CASE WHEN` and `? :`. If the condition
 * is constant, the engine leaves out a branch that fails with the values of the check, and other values would keep it.
 * The engine does so for the names `if` and `multiIf`, but not for other names of the same functions.
 */
export async function withEveryBranch(
  engine: Queries,
  sql: string,
  { functions }: Pick<WrittenTree, 'functions'>,
): Promise<string> {
  if (!functions.has('if') && !functions.has('multiIf')) return sql
  const row = z.object({ tokens: z.array(z.string()) })
  // The engine writes CASE WHEN and ? : as calls of multiIf and if.
  const [formatted] = await readRows(engine, row, {
    sql: `SELECT arrayMap(
        token -> substring(written, token.begin + 1, token.end - token.begin),
        tokenizeQuery(written)) AS tokens
      FROM (SELECT formatQuerySingleLine({sql:String}) AS written)`,
    parameters: { sql },
  })
  const tokens = formatted?.tokens ?? []
  return tokens
    .map((token, index) => (tokens[index + 1] === '(' ? (OTHER_NAMES.get(token) ?? token) : token))
    .join('')
}

const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['if', 'IF'],
  ['`if`', 'IF'],
  ['multiIf', 'caseWithoutExpression'],
  ['`multiIf`', 'caseWithoutExpression'],
])
