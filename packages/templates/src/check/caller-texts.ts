import { parseNodes, type TreeNode } from '@counterfoil/engine'

/**
 * The functions that may take a caller's text: comparisons, and searches that take linear time and no pattern. Other
 * functions would read a time zone, a type, a pattern or a layout from the text.
 */
const COMPARING_FUNCTIONS: ReadonlySet<string> = new Set([
  'equals',
  'notEquals',
  'less',
  'greater',
  'lessOrEquals',
  'greaterOrEquals',
  'isDistinctFrom',
  'isNotDistinctFrom',
  'in',
  'notIn',
  'has',
  'hasAny',
  'startsWith',
  'position',
])

/** The value of a text parameter in a query tree. It marks the text that a caller chooses. */
export function markText(parameter: string): string {
  return `{${parameter}:String}`
}

/** Matches a constant of a query tree that is a caller's text, or a list of texts. */
const MARKED = /^CONSTANT .*\bconstant_value: (?:'|Array_\[')\{(\w+):String\}'/

/**
 * Finds callers' texts outside of comparisons.
 *
 * @param explained the tree of a query as it is written, with {@link markText} as the values of text parameters
 * @returns for each fault where the text may stand, and where it does
 */
export function findTextFaults(explained: string): readonly string[] {
  return parseNodes(explained).flatMap((node) => faultsBelow(node, undefined))
}

/** @param call the function that a node is an argument of */
function faultsBelow(node: TreeNode, call: string | undefined): readonly string[] {
  const name = textOf(node)
  if (name !== undefined) {
    if (call !== undefined && COMPARING_FUNCTIONS.has(call) && !hasAlias(node)) return []
    const got = hasAlias(node) || call === undefined ? 'got it elsewhere' : `got it in ${call}()`
    return [
      `the text {${name}} in a comparison, IN, has(), hasAny(), startsWith() or position(), ${got}`,
    ]
  }
  const own = /^FUNCTION id: .*\bfunction_name: (\w+)/.exec(node.text)?.[1]
  // Between a function and its arguments there are a section and a list.
  const inside = own ?? (/^(ARGUMENTS$|LIST )/.test(node.text.trimEnd()) ? call : undefined)
  return node.children.flatMap((child) => faultsBelow(child, inside))
}

/** The parameter of a node that is a caller's text. The engine converts a list to its type. */
function textOf(node: TreeNode): string | undefined {
  const isConversion = /\bfunction_name: _CAST,/.test(node.text)
  const [, name] = MARKED.exec(node.text) ?? []
  if (name !== undefined || !isConversion) return name
  const [value] = node.children[0]?.children[0]?.children ?? []
  return value?.text.includes('Array_[') ? MARKED.exec(value.text)?.[1] : undefined
}

function hasAlias({ text }: TreeNode): boolean {
  return /^[A-Z]+ id: \d+, alias: /.test(text)
}
