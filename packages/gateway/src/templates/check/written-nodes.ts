import type { TreeNode } from '../../clickhouse/query-tree.ts'

/** Expressions by their aliases. */
export type Named = ReadonlyMap<string, readonly TreeNode[]>

/** The value of a text parameter in the written tree. It marks what a caller chooses. */
export function markText(parameter: string): string {
  return `{${parameter}:String}`
}

/** Matches a caller's text in the written tree. */
export const MARK = /\{\w+:String\}/

/** The expressions with a name among some nodes: an alias, or the column that they replace, as in `* REPLACE (1 AS a)`. */
export function namedAmong(nodes: readonly TreeNode[]): Named {
  const named = Map.groupBy(nodes, ({ text }) => aliasOf(text) ?? '')
  for (const { text, children } of nodes) {
    const [, name] = /^REPLACEMENT NAME (.+) EXPRESSION$/.exec(text.trimEnd()) ?? []
    if (name !== undefined) named.set(name, [...(named.get(name) ?? []), ...children])
  }
  return named
}

/** The expressions that a name can mean, by any of its parts, except those in `seen`. */
export function meantBy(
  { text }: TreeNode,
  named: Named,
  seen: Set<TreeNode>,
): readonly TreeNode[] {
  const parts = identifierOf(text).split('.')
  const names = parts.flatMap((_, start) => {
    return parts.slice(start).map((__, length) => parts.slice(start, start + length + 1).join('.'))
  })
  const meant = names.flatMap((name) => named.get(name) ?? []).filter((node) => !seen.has(node))
  for (const node of meant) seen.add(node)
  return meant
}

/** The arguments of a function. */
export function argumentsOf(node: TreeNode): readonly TreeNode[] {
  return listOf(node, 'ARGUMENTS')
}

/** The parameters of an aggregate function, such as 0.5 of quantile(0.5)(amount). */
export function parametersOf(node: TreeNode): readonly TreeNode[] {
  return listOf(node, 'PARAMETERS')
}

function listOf(node: TreeNode, name: string): readonly TreeNode[] {
  const section = node.children.find(({ text }) => text.trimEnd() === name)
  return section?.children[0]?.children ?? []
}

/** A node and all nodes below it. */
export function withDescendants(node: TreeNode): readonly TreeNode[] {
  return [node, ...node.children.flatMap(withDescendants)]
}

/** The alias of a node. */
export function aliasOf(text: string): string | undefined {
  return /^[A-Z_ ]+ id: \d+, alias: ([^,]+)/.exec(text)?.[1]
}

/** The name of a function as it is written. */
export function functionName(text: string): string {
  return /\bfunction_name: (\w+)/.exec(text)?.[1] ?? ''
}

/** The name in a node of a name. */
export function identifierOf(text: string): string {
  return /\bidentifier: ([^,]+)/.exec(text)?.[1] ?? ''
}

/** Whether a node is a lambda, such as `x -> lower(x)`. */
export function isLambda({ text }: TreeNode): boolean {
  return text.startsWith('LAMBDA ')
}

/** The names of a lambda's arguments. */
export function lambdaNames(lambda: TreeNode): readonly string[] {
  return argumentsOf(lambda).map(({ text }) => aliasOf(text) ?? identifierOf(text))
}
