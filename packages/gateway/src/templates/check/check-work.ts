import { parseNodes, type TreeNode } from '../../clickhouse/query-tree.ts'
import { isConstant } from './constant-expressions.ts'
import {
  argumentsOf,
  functionName,
  identifierOf,
  isLambda,
  lambdaNames,
  MARK,
  meantBy,
  type Named,
  namedAmong,
  withDescendants,
} from './written-nodes.ts'

/*
 * Limits the work that a caller's values can cause. The engine computes an expression without a column while it plans
 * the query. This blocks a worker thread with all its sessions, and neither a kill nor a time limit ends it. So such an
 * expression may have only functions whose work is linear in the length of their arguments. And a function that writes
 * more than it reads gets its layout from the file, and its length from the file or from columns.
 */

/** Functions whose work is linear, and aggregate functions, which the engine never computes while it plans. */
const LINEAR_FUNCTIONS = new RegExp(
  `^(${[
    'and|or|xor|not|if|multiIf|caseWith\\w+|coalesce|ifNull|nullIf|assumeNotNull|least|greatest|identity|materialize',
    '(not)?equals|less|greater|(less|greater)OrEquals|is(Not)?Null|isNotDistinctFrom|isDistinctFrom|(not)?empty',
    'plus|minus|multiply|divide|intDiv\\w*|modulo\\w*|negate|abs|round\\w*|floor|ceil|trunc(ate)?|sign',
    'pi|e|pow(er)?|exp(2|10)?|log(2|10)?|ln|sqrt|cbrt|bit(And|Or|Xor|Not|Count|Test|Shift(Left|Right))',
    '(global)?(not)?(null)?in|has|indexOf|length\\w*|char_length|array|tuple|map|arrayElement|tupleElement',
    'array(Compact|Concat|Distinct|Enumerate|Flatten|Join|Pop(Back|Front)|Push(Back|Front)|Reverse|Slice|Sort)',
    'array(Avg|Max|Min|Sum|Uniq)|map(Contains|Keys|Values)|isValid(JSON|UTF8)|(simple)?JSON(Extract|Has|Length|Type)\\w*',
    'concat\\w*|substr\\w*|(left|right|lower|upper|reverse)(UTF8)?|[lr]?trim\\w*|(starts|ends)With\\w*|splitByChar',
    '_?cast|accurateCast\\w*|to[A-Z]\\w*|(add|subtract)[A-Z]\\w*|date_?(diff|add|sub|trunc)\\w*|age|make_?date\\w*',
    'formatDateTime|formatReadable\\w+|parseDateTime\\w*|from_?unix_?time\\w*|year|month|day\\w*|hour|minute|second',
    '(city|sip|xx|farm|metro|murmur)Hash\\w*|hex|unhex|base64\\w*|(half)?MD5|SHA\\d+\\w*|CRC32\\w*',
    '(sum|avg|count|min|max|any|anyLast|argMin|argMax|uniq\\w*|quantile\\w*|group\\w*Array)(Distinct)?(If)?',
    '(dense_?|percent_?)?rank|row_number|ntile|(first|last|nth)_value\\w*|lag\\w*|lead\\w*',
  ].join('|')})$`,
  'i',
)

/**
 * Functions whose work is linear if at most one of their arguments is a caller's value. Functions that look for every
 * match of a regular expression are missing: each match may read the rest of the text again.
 */
const PAIR_FUNCTIONS = new RegExp(
  `^(${[
    'position\\w*|locate|(not)?i?like|match|replace(One|All|RegexpOne)?|(regexp_?)?extract|translate\\w*|transform',
    'splitBy(String|Whitespace|NonAlpha)',
    'countSubstrings\\w*|arrayStringConcat|multiSearch\\w+|has(All|Any)|arrayIntersect|format|printf',
    'repeat|space|range|(left|right)pad(UTF8)?|[lr]pad',
  ].join('|')})$`,
  'i',
)

/** Functions that apply a lambda to each element. */
const ELEMENT_FUNCTIONS = /^array(Map|Filter|Exists|All|Count|First|Last|FirstIndex|LastIndex)$/i

/** Functions that get a text or a number that the file writes out: the position of the argument, and its name. */
const WRITTEN_ARGUMENTS: readonly (readonly [RegExp, number, string])[] = [
  [/^(printf|format|formatRow\w*)$/i, 0, 'a layout'],
  [/^(tupleElement|getSubcolumn)$/i, 1, 'the name of an element'],
]

/**
 * Functions that search for a pattern, and the position of the pattern. A short regular expression can take a second to
 * compile, and a match as long as a report may run. Searches without regard to case compare the pattern anew at each
 * place of the text. The engine looks at its time limit only between blocks of rows.
 */
const PATTERN_ARGUMENTS: readonly (readonly [RegExp, number])[] = [
  [/^(match|regexp\w*|extract\w*|replaceRegexp\w*|countMatches\w*|multiMatch\w*)$/i, 1],
  [/^((not)?i?like|map(Contains|Extract)(Key|Value)Like)$/i, 1],
  [/^(position|countSubstrings|multiSearch\w*)CaseInsensitive(UTF8)?$/i, 1],
  [/^multiFuzzyMatch\w*$/i, 2],
  [/^splitByRegexp$/i, 0],
]

/**
 * Functions whose work grows with the product of the lengths of their arguments, or with the square of one length, and
 * which never look at the time limit. `editDistance` does. Those of SQL parse their argument.
 */
const UNENDING_FUNCTIONS = new RegExp(
  `^(${[
    'jaro(Winkler)?Similarity|damerauLevenshteinDistance|array(LevenshteinDistance\\w*|Similarity)',
    '(try)?base58\\w+|highlightQuery|formatQuery\\w*',
  ].join('|')})$`,
  'i',
)

/** Such functions whose work is linear for the texts of people, but not for those of an attacker. */
const UNENDING_FOR_CALLERS = /^normalizeUTF8\w+$/i

/** Functions that write more than they read, and which of their arguments say how much more. */
const LENGTH_ARGUMENTS: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^(space|arrayWithConstant)$/i, [0]],
  [
    /^(toFixedString|repeat|(left|right)pad(UTF8)?|[lr]pad|arrayResize|arrayShingles|ngrams)$/i,
    [1],
  ],
  [/^(h3kRing|h3HexRing|h3ToChildren|h3PolygonToCells)$/i, [1]],
  [/^(mapPopulateSeries|timeSlots|sparseGrams\w*)$/i, [1, 2]],
  [/^(range|timeSeriesRange|timeSeriesFromGrid)$/i, [0, 1, 2]],
]

/** The longest list of numbers over which an expression without a column may have a lambda. */
const NUMBERS_MAX = 10_000

const INSTEAD = 'position() and startsWith() take any text'
const CONSTANT = 'an expression without a column'
const WHY = 'the engine computes the expression before the report starts, and other reports wait'

/**
 * Finds work that has no limit or that blocks other reports. The tree is the query as it is written: the engine has
 * computed nothing for it.
 *
 * @param explained the tree, with `markText` as the values of text parameters
 * @returns for each fault the expected form and what the file has
 */
export function findWorkFaults(explained: string): readonly string[] {
  const nodes = parseNodes(explained).flatMap(withDescendants)
  const named = namedAmong(nodes)
  const calls = nodes.filter(({ text }) => text.startsWith('FUNCTION '))
  const meanings = withElements(calls, named)
  return calls.flatMap((call) => [
    ...argumentFaults(call, meanings),
    ...(isConstant(call, named) ? constantFaults(call, named) : []),
  ])
}

/** Adds the arguments of lambdas: each means the elements of the arrays beside the lambda. */
function withElements(calls: readonly TreeNode[], named: Named): Named {
  const meanings = new Map(named)
  for (const call of calls) {
    const given = argumentsOf(call)
    const arrays = given.filter((argument) => !isLambda(argument))
    for (const name of given.filter(isLambda).flatMap(lambdaNames)) {
      meanings.set(name, [...(meanings.get(name) ?? []), ...arrays])
    }
  }
  return meanings
}

function argumentFaults(call: TreeNode, named: Named): readonly string[] {
  const name = functionName(call.text)
  const given = argumentsOf(call)
  const unwritten = WRITTEN_ARGUMENTS.flatMap(([functions, position, what]) => {
    const argument = given[position]
    if (!functions.test(name) || argument === undefined) return []
    const isWritten = argument.text.startsWith('CONSTANT ') && !hasCallersValue(argument, named)
    return isWritten ? [] : [`in ${name}() ${what} that the file writes out`]
  })
  const patterns = PATTERN_ARGUMENTS.flatMap(([functions, position]) => {
    const pattern = functions.test(name) ? given[position] : undefined
    const isWritten =
      pattern === undefined || (isConstant(pattern, named) && !hasCallersValue(pattern, named))
    return isWritten
      ? []
      : [`in ${name}() a pattern that the file writes out, got another: ${INSTEAD}`]
  })
  const isUnending =
    UNENDING_FUNCTIONS.test(name) ||
    (UNENDING_FOR_CALLERS.test(name) && given.some((argument) => hasCallersValue(argument, named)))
  const unending = isUnending
    ? [`functions that end at the time limit, such as editDistance(), got ${name}()`]
    : []
  const faults = [...unwritten, ...patterns, ...unending]
  const isUnlimited = lengthsOf(call).some((length) => hasCallersValue(length, named, isLimited))
  if (!isUnlimited) return faults
  const most = 'a length that the file limits, such as least(toUInt32({name:…}), 100)'
  return [...faults, `in ${name}() ${most}, got a caller's value`]
}

/** The arguments of a call that say how much it writes. */
function lengthsOf(call: TreeNode): readonly TreeNode[] {
  const positions = LENGTH_ARGUMENTS.find(([names]) => names.test(functionName(call.text)))?.[1]
  return argumentsOf(call).filter((_, position) => positions?.includes(position))
}

/** Whether an expression is between zero and a number that the file writes out. */
function isLimited(node: TreeNode): boolean {
  if (functionName(node.text) !== 'least') return false
  const others = argumentsOf(node).filter((argument) => !isWrittenNumber(argument))
  return others.length < argumentsOf(node).length && others.every(isNeverNegative)
}

function isNeverNegative(node: TreeNode): boolean {
  const name = functionName(node.text)
  if (name === 'greatest') return argumentsOf(node).some(isWrittenNumber)
  return name === 'length' || /^toUInt\d+\w*$/i.test(name)
}

/** A whole number that the file writes out. The engine's type of a negative one has no `U`. */
function isWrittenNumber({ text }: TreeNode): boolean {
  return /, constant_value_type: UInt\d+$/.test(text)
}

function constantFaults(call: TreeNode, named: Named): readonly string[] {
  const name = functionName(call.text)
  const given = argumentsOf(call)
  const lambdas = given.filter(isLambda)
  if (lambdas.length > 0) {
    const isPlain =
      ELEMENT_FUNCTIONS.test(name) && lambdas.every((lambda) => isPlainLambda(lambda, named))
    const isLong = given.some((argument) => withDescendants(argument).some(mayBeLong))
    if (isPlain && !isLong) return []
    const expected =
      'only lambdas of their own arguments and plain functions, such as x -> lower(x),'
    return [`${expected} in ${CONSTANT}, got another in ${name}(): ${WHY}`]
  }
  if (LINEAR_FUNCTIONS.test(name)) return []
  if (!PAIR_FUNCTIONS.test(name)) {
    const expected = 'only plain functions, such as lower() and has(),'
    return [`${expected} in ${CONSTANT}, got ${name}(): ${WHY}`]
  }
  const callers = given.filter((argument) => hasCallersValue(argument, named))
  if (callers.length <= 1) return []
  const got = `got ${callers.length} in ${name}()`
  return [`at most one caller's value for a function in ${CONSTANT}, ${got}: ${WHY}`]
}

/** Whether a lambda has only plain functions, no other lambda, and no caller's value beside its own arguments. */
function isPlainLambda(lambda: TreeNode, named: Named): boolean {
  const own = new Set(lambdaNames(lambda))
  const outer = new Map([...named].filter(([name]) => !own.has(name)))
  const body = lambda.children.at(-1)
  if (body === undefined || hasCallersValue(body, outer)) return false
  const isOwn = ({ text }: TreeNode): boolean => {
    return text.startsWith('IDENTIFIER ') && own.has(identifierOf(text))
  }
  return withDescendants(body).every((node) => {
    if (isLambda(node) || lengthsOf(node).length > 0) return false
    const name = functionName(node.text)
    if (name === '' || LINEAR_FUNCTIONS.test(name)) return true
    const given = argumentsOf(node).filter((argument) => withDescendants(argument).some(isOwn))
    return PAIR_FUNCTIONS.test(name) && given.length <= 1
  })
}

/** Whether a function writes more than a few values, unless the file writes out how many. */
function mayBeLong(call: TreeNode): boolean {
  return lengthsOf(call).some(({ text }) => {
    const [, number] = /\bconstant_value: U?Int\d+_(\d+),/.exec(text) ?? []
    return number === undefined || Number(number) > NUMBERS_MAX
  })
}

/** Whether an expression contains a value that callers choose, outside the parts that `isSkipped` accepts. */
function hasCallersValue(
  node: TreeNode,
  named: Named,
  isSkipped: (node: TreeNode) => boolean = () => false,
  seen: Set<TreeNode> = new Set(),
): boolean {
  if (isSkipped(node)) return false
  if (node.text.startsWith('CONSTANT ')) return MARK.test(node.text)
  if (functionName(node.text) === '_CAST' && !isWrittenArray(node)) return true
  const meant = node.text.startsWith('IDENTIFIER ') ? meantBy(node, named, seen) : []
  return [...node.children, ...meant].some((other) =>
    hasCallersValue(other, named, isSkipped, seen),
  )
}

/** Whether a conversion of the engine is that of an array which the file may have written out, such as ['a', 'b']. */
function isWrittenArray(conversion: TreeNode): boolean {
  return /'(Array|Tuple|Map)\((?!DateTime)/.test(argumentsOf(conversion)[1]?.text ?? '')
}
