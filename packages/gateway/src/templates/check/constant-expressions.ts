import type { TreeNode } from '../../clickhouse/query-tree.ts'
import { LEDGER_TABLES } from '../../ledger/model.ts'
import {
  argumentsOf,
  functionName,
  identifierOf,
  isLambda,
  lambdaNames,
  meantBy,
  type Named,
  withDescendants,
} from './written-nodes.ts'

/*
 * Finds the expressions that the engine computes while it plans a query. These are the expressions without a column, and
 * those whose column does not matter: the engine knows the value of some functions from the type of an argument, from
 * another argument, or from a NULL or an empty list beside the column. The check has only the query as it is written,
 * without types. So in doubt an expression is constant.
 */

/** Functions whose value follows from the type of their arguments. */
const FUNCTIONS_OF_TYPES =
  /^(ignore|isNullable|byteSize|tupleNames|defaultValueOfArgumentType|getSizeOfEnumType)$/i

/** Functions whose value follows from the type of a column that cannot be null. */
const NULL_TESTS = /^(isNull|isNotNull)$/i

/** Functions whose value follows from one of their arguments if this argument is an empty list. */
const FUNCTIONS_OF_LISTS = /^((global)?(not)?(null)?in(ignoreset)?|arrayIntersect)$/i

/** Functions whose value follows from the type of a text with a fixed length. */
const FUNCTIONS_OF_LENGTHS = /^(length|cardinality|octet_length)$/i

/** Functions whose value is empty if they get a separator and nothing to join. */
const JOINS = /^concat(WithSeparator(AssumeInjective)?|_ws)$/i

/** Functions and types of texts with a fixed length. */
const FIXED_TEXT = /fixed|hash|md[45]|sha\d|blake|keccak|ripemd/i

/** Functions whose value the engine may know from some of their arguments. */
const CHOICES = /^(and|or|if|multiIf|ifNull|coalesce)$/i

/** Conversions. Their second argument is the type of the value. */
const CASTS = /^(_?cast|accurateCast\w*)$/i

/** The columns of the ledger that may be null. */
const NULLABLE = new Set(
  Object.values(LEDGER_TABLES).flatMap((columns) => {
    const nullable = Object.entries(columns).filter(([, { type }]) => type.includes('Nullable('))
    return nullable.map(([name]) => name)
  }),
)

/** Whether expressions are constant, by the names that lambdas around them bind. */
type Decided = Map<string, Map<TreeNode, boolean>>

/**
 * Whether the engine can compute an expression while it plans, because the expression has no column. A name may be that
 * of a column in one sub-select and that of a constant in another, so one constant meaning is enough.
 */
export function isConstant(
  node: TreeNode,
  named: Named,
  bound: ReadonlySet<string> = new Set(),
  decided: Decided = new Map(),
): boolean {
  const { text, children } = node
  if (/^(QUERY|UNION|WINDOW)\b/.test(text)) return false
  // One row becomes several, so the value is not constant.
  if (functionName(text).toLowerCase() === 'arrayjoin') return false
  if (text.startsWith('IDENTIFIER ')) {
    if (bound.has(identifierOf(text).split('.')[0] ?? '')) return true
    const meant = meantBy(node, named, new Set())
    // A number without an alias has itself as its name.
    if (meant.length === 0) return /(?:^|\.)-?\d/.test(identifierOf(text))
    return meant.some((other) => isConstantMeaning(other, named, bound, decided))
  }
  const within = isLambda(node) ? new Set([...bound, ...lambdaNames(node)]) : bound
  const name = functionName(text)
  if (name !== '' && needsNoColumn(node, name, named)) return true
  if (CHOICES.test(name)) {
    const constant = argumentsOf(node).map((other) => isConstant(other, named, within, decided))
    return isChosen(name, constant)
  }
  // The columns of `*` may be constants of a sub-select: a matcher has no children.
  return children.every((child) => isConstant(child, named, within, decided))
}

/** Whether the engine may know the value of a function although an argument of the function is a column. */
function needsNoColumn(call: TreeNode, name: string, named: Named): boolean {
  const given = argumentsOf(call)
  const isKnown =
    FUNCTIONS_OF_TYPES.test(name) ||
    (JOINS.test(name) && given.length === 1) ||
    (NULL_TESTS.test(name) && !withDescendants(call).some(mayBeNull)) ||
    (FUNCTIONS_OF_LISTS.test(name) && !given.slice(1).every((list) => hasElements(list, named))) ||
    (FUNCTIONS_OF_LENGTHS.test(name) && given.some((text) => mayBeFixed(text, named)))
  if (isKnown) return true
  return !CHOICES.test(name) && isOnlyNull(call, named)
}

/** Whether a list has an element for certain, other than NULL. */
function hasElements(node: TreeNode, named: Named, seen: Set<TreeNode> = new Set()): boolean {
  const { text } = node
  if (/^(QUERY|UNION)\b/.test(text)) return true
  if (text.startsWith('CONSTANT ')) {
    return !/\bconstant_value: (NULL|Tuple_\((NULL(, )?)*\)|Array_\[(NULL(, )?)*\]),/.test(text)
  }
  if (text.startsWith('IDENTIFIER ')) {
    return meantBy(node, named, seen).every((other) => hasElements(other, named, seen))
  }
  const [first, ...others] = argumentsOf(node)
  const name = functionName(text)
  if (CASTS.test(name)) return first !== undefined && hasElements(first, named, seen)
  if (!/^(tuple|array)$/i.test(name) || first === undefined) return false
  return [first, ...others].some((element) => !isOnlyNull(element, named))
}

/** Whether a text may have a type of a fixed length. */
const mayBeFixed = remembered((node, named) => {
  const { text } = node
  if (text.startsWith('CONSTANT ')) return /\bconstant_value: '.*FixedString/.test(text)
  if (FIXED_TEXT.test(functionName(text))) return true
  const meant = text.startsWith('IDENTIFIER ') ? meantBy(node, named, new Set()) : []
  return [...node.children, ...meant].some((other) => mayBeFixed(other, named))
})

/** Whether an expression may have the type of NULL. Most functions of such an argument have this type too. */
const isOnlyNull = remembered((node, named) => {
  const { text } = node
  const isNull = (other: TreeNode | undefined): boolean => {
    return other !== undefined && isOnlyNull(other, named)
  }
  if (text.startsWith('CONSTANT ')) return /\bconstant_value: (NULL,|Array_\[NULL)/.test(text)
  if (text.startsWith('IDENTIFIER ')) return meantBy(node, named, new Set()).some(isNull)
  if (isLambda(node)) return isNull(node.children.at(-1))
  if (!text.startsWith('FUNCTION ')) return node.children.some(isNull)
  const name = functionName(text)
  const given = argumentsOf(node)
  if (CASTS.test(name)) return isNull(given[0]) && /Nothing/.test(given[1]?.text ?? '')
  if (/^if$/i.test(name)) return given.slice(1).every(isNull)
  if (/^multiIf$/i.test(name)) {
    return given.filter((_, at) => at % 2 === 1 || at === given.length - 1).every(isNull)
  }
  if (/^(ifNull|coalesce|array)$/i.test(name)) return given.length > 0 && given.every(isNull)
  return given.some(isNull)
})

/** Decides once about each node. A name that means itself is not what the function looks for. */
function remembered(
  decide: (node: TreeNode, named: Named) => boolean,
): (node: TreeNode, named: Named) => boolean {
  const known = new WeakMap<Named, Map<TreeNode, boolean>>()
  return (node, named) => {
    const answers = known.get(named) ?? new Map<TreeNode, boolean>()
    known.set(named, answers)
    const before = answers.get(node)
    if (before !== undefined) return before
    answers.set(node, false)
    const answer = decide(node, named)
    answers.set(node, answer)
    return answer
  }
}

/** Whether the engine may know the value of a choice, by which of its arguments are constant. */
function isChosen(name: string, [first = false, ...others]: readonly boolean[]): boolean {
  if (/^(and|or)$/i.test(name)) return first || others.includes(true)
  if (/^(ifNull|coalesce)$/i.test(name)) return first
  return first && others.includes(true)
}

function mayBeNull({ text }: TreeNode): boolean {
  const name = text.startsWith('IDENTIFIER ') ? identifierOf(text).split('.').at(-1) : undefined
  return name !== undefined && NULLABLE.has(name)
}

/** Whether an expression that a name means is constant. Each expression is examined once. */
function isConstantMeaning(
  node: TreeNode,
  named: Named,
  bound: ReadonlySet<string>,
  decided: Decided,
): boolean {
  const scope = [...bound].toSorted().join()
  const known = decided.get(scope) ?? new Map<TreeNode, boolean>()
  decided.set(scope, known)
  const before = known.get(node)
  if (before !== undefined) return before
  // A name that means itself is a column.
  known.set(node, false)
  const answer = isConstant(node, named, bound, decided)
  known.set(node, answer)
  return answer
}
