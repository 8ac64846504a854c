import type { TreeNode } from '../../clickhouse/query-tree.ts'

/** Expressions by their aliases. */
export type Named = ReadonlyMap<string, readonly TreeNode[]>

/** The value of a text parameter in the written tree. It marks what a caller chooses. */
export function markText(parameter: string): string {
  return `{${parameter}:String}`
}

/** Matches a caller's text in the written tree. */
export const MARK = /\{\w+:String\}/

/** The expressions with an alias among some nodes. */
export function namedAmong(nodes: readonly TreeNode[]): Named {
  return Map.groupBy(nodes, ({ text }) => aliasOf(text) ?? '')
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
