import { parseNodes, type TreeNode } from '../../clickhouse/query-tree.ts'
import { isPlainType } from './plain-types.ts'
import {
  aliasOf,
  argumentsOf,
  functionName,
  identifierOf,
  MARK,
  meantBy,
  type Named,
  namedAmong,
  parametersOf,
  withDescendants,
} from './written-nodes.ts'

/*
 * The engine opens a file for a time zone named `file:…`, and waits forever if the file is a pipe. More than a hundred
 * functions take a zone, or the name of a type, which may contain a zone. The engine's documentation lists only half of
 * these functions. So the check allows texts instead of forbidding them: a function may get texts that the file writes
 * out, and {timezone:String}. Other texts are allowed only as the first argument, which is never a zone (check-sql.ts
 * refuses the functions that read a zone from a time's text), and as any argument of the functions in the list below.
 * The engine reads the name of a type in many spellings. So a function that is not in the list may get a text with a
 * parenthesis only if that text is a type in its plainest spelling: see plain-types.ts.
 */

/** Functions of texts, numbers and arrays. None of their arguments is a time zone or the name of a type. */
const PLAIN_FUNCTIONS = new RegExp(
  `^(${[
    'and|or|xor|not|if|multiIf|caseWith\\w+|coalesce|ifNull|nullIf|least|greatest|transform',
    '(not)?equals|less|greater|(less|greater)OrEquals|isNotDistinctFrom|isDistinctFrom',
    '(global)?(not)?(null)?in|(not)?i?like|match|multi(Match|Search)\\w+|(starts|ends)With\\w*',
    'plus|minus|multiply|divide|intDiv\\w*|modulo\\w*|pow(er)?|round\\w*|floor|ceil|trunc(ate)?',
    'concat\\w*|substr\\w*|left\\w*|right\\w*|[lr]?trim\\w*|position\\w*|locate|replace\\w*|regexp\\w+',
    'extract\\w*|split\\w+|format|printf|repeat|lower\\w*|upper\\w*|translate\\w*|reverse\\w*|(not)?empty',
    'editDistance\\w*|ngram\\w*|levenshtein\\w*|damerau\\w*|jaro\\w*|stringJaccard\\w*|lag\\w*|lead\\w*|(first|last|nth)_value\\w*',
    'toDecimalString|toDecimal\\d+|arrayJoin|array\\w*|has\\w*|indexOf|length|range|\\w+Hash\\w*|tuple\\w*|map\\w*',
    'sum\\w*|avg\\w*|count\\w*|(min|max|any|argMin|argMax)(If)?|uniq\\w*|quantile\\w*|group(Uniq)?Array\\w*',
  ].join('|')})$`,
  'i',
)

/** Functions that may take a time zone, but no type. Their texts are patterns and values. */
const TYPELESS_FUNCTIONS =
  /^(toString|date_?format|(format|parse)DateTime\w*|from_?unix_?time\w*)$/i

/** Plain functions that can get the name of a type in a path such as a.:`UInt8` of JSON. */
const PART_FUNCTIONS = /^(tuple|array)Element\w*$/i

/** Functions that never return a text. */
const NUMBER_FUNCTIONS = new RegExp(
  `^(${[
    'and|or|xor|not|(not)?equals|less|greater|(less|greater)OrEquals|is(Not)?Null|(not)?empty',
    '(global)?(not)?(null)?in|(not)?i?like|match|(starts|ends)With|has|length|position|locate',
    'plus|minus|multiply|divide|intDiv|modulo|negate|abs|round|floor|ceil|(add|subtract)[A-Z][a-z]+s',
    'to(U?Int\\d+|Float\\d+|Decimal\\d+|Date(Time)?(32|64)?)(Or(Null|Zero|Default))?|toInterval\\w+|toStartOf\\w+',
    'toMonday|toYear|toQuarter|toMonth|toDayOf\\w+|toHour|toMinute|toSecond|toYYYYMM\\w*|toTimezone',
    'count\\w*|dateDiff|now64',
  ].join('|')})$`,
  'i',
)

/** Functions that take a different time zone for each row. All other functions take a constant zone only. */
const ROW_ZONE_FUNCTIONS = /^(toString|formatDateTime\w*|date_format|from_?unix_?time\w*)$/i

const CAST = /^_?cast$/i
/** Types whose values neither are texts nor contain texts. */
const NUMBER_TYPE =
  /^(Nullable\()?(U?Int|Float|Decimal|Date|Bool|Interval|Nothing)[^']*('UTC')?\)*$/

/**
 * Finds texts that the engine could read as a time zone from a file. The tree is the query as it is written: the engine
 * has resolved nothing for it, so it has opened no file.
 *
 * @param explained the tree, with `markText` as the values of text parameters
 * @returns for each fault the expected form and what the file has
 */
export function findZoneFaults(explained: string): readonly string[] {
  const nodes = parseNodes(explained).flatMap(withDescendants)
  const named = namedAmong(nodes)
  return nodes.flatMap((node) => [
    ...(node.text.startsWith('CONSTANT ') ? constantFaults(node.text) : []),
    ...(node.text.startsWith('FUNCTION ') ? callFaults(node, named) : []),
    ...(node.text.startsWith('FUNCTION ') ? typeFaults(node, named) : []),
    // In arrayMap(toString, …) the engine would call it.
    ...(node.text.startsWith('IDENTIFIER ') && ROW_ZONE_FUNCTIONS.test(identifierOf(node.text))
      ? [`a lambda such as x -> lower(x), got the name ${identifierOf(node.text)}`]
      : []),
    // A call of the lambda would look like a call of a function of the engine.
    ...(node.text.startsWith('LAMBDA ') && aliasOf(node.text) !== undefined
      ? [`a lambda where it is used, got one with the name ${aliasOf(node.text)}`]
      : []),
  ])
}

function constantFaults(text: string): readonly string[] {
  const value = constantOf(text)
  if (value === undefined) return []
  // The name of a type contains its zone as a text, which may be escaped once more.
  const written = value.replaceAll(/\\(.)/g, '$1')
  const isOfFile = /date_?time|timestamp/i.test(written) && /file:|libc:|\\|\$/i.test(written)
  if (isOfFile || /^(file|libc):/i.test(written)) {
    return ['the name of a time zone, got one of a file']
  }
  // The values of such a type are bytes of the engine, which may contain the name of a zone.
  return /AggregateFunction/i.test(written)
    ? ['the type of a value, got the type of a state: AggregateFunction']
    : []
}

/** Refuses texts that the engine could read as a type in another spelling than the plainest. */
function typeFaults(node: TreeNode, named: Named): readonly string[] {
  const name = functionName(node.text)
  const isPlain = PLAIN_FUNCTIONS.test(name) && !PART_FUNCTIONS.test(name)
  if (isPlain || TYPELESS_FUNCTIONS.test(name)) return []
  const written = [...argumentsOf(node), ...parametersOf(node)].flatMap((argument) => {
    return constantsOf(argument, named)
  })
  const isRefused = written
    // Other escapes stand for characters that no plain type has.
    .map((value) => value.replaceAll(/\\(['\\])/g, '$1'))
    .some((value) => value.includes('(') && !isPlainType(value))
  const expected = `in ${name}() types of plain words and known zones, as Array(DateTime('UTC'))`
  return isRefused ? [`${expected}, got a text with a parenthesis and other signs`] : []
}

/** The constants, escaped, that an argument is or that its name can mean. */
function constantsOf(
  node: TreeNode,
  named: Named,
  seen: Set<TreeNode> = new Set(),
): readonly string[] {
  if (node.text.startsWith('CONSTANT ')) return [constantOf(node.text) ?? '']
  if (!node.text.startsWith('IDENTIFIER ')) return []
  return meantBy(node, named, seen).flatMap((other) => constantsOf(other, named, seen))
}

function constantOf(text: string): string | undefined {
  return /\bconstant_value: '(.*)', constant_value_type: String$/.exec(text)?.[1]
}

function callFaults(node: TreeNode, named: Named): readonly string[] {
  const name = functionName(node.text)
  if (PLAIN_FUNCTIONS.test(name)) return []
  const [first, ...others] = argumentsOf(node)
  // A matcher such as * expands to several arguments.
  if ([first, ...others].some((argument) => argument?.text.startsWith('MATCHER '))) {
    return [`in ${name}() columns by their names, got *`]
  }
  return others.flatMap((argument) => {
    const isOfRow = ROW_ZONE_FUNCTIONS.test(name) && !argument.text.startsWith('CONSTANT ')
    const got = madeText(argument, named) ?? (isOfRow ? 'one that rows may differ in' : undefined)
    const expected = `in ${name}() texts that are written out, or {timezone:String}`
    const why = 'the engine may take another text for a time zone'
    return got === undefined ? [] : [`${expected}: ${why}; got ${got}`]
  })
}

/**
 * Describes the source of a text that a caller or another function makes. Returns `undefined` for texts that are
 * written out and for texts of columns.
 */
function madeText(
  node: TreeNode,
  named: Named,
  seen: Set<TreeNode> = new Set(),
): string | undefined {
  if (node.text.startsWith('CONSTANT ')) return MARK.exec(node.text)?.[0]
  if (node.text.startsWith('IDENTIFIER ')) {
    const meant = meantBy(node, named, seen)
    const isMade = meant.some((other) => madeText(other, named, seen) !== undefined)
    return isMade ? `the name ${identifierOf(node.text)}` : undefined
  }
  const isFunction = node.text.startsWith('FUNCTION ')
  return isFunction && hasConstant(node, named)
    ? `the function ${functionName(node.text)}()`
    : undefined
}

/** Whether a function's value can contain a constant, a caller's value, or a name for either. */
function hasConstant(node: TreeNode, named: Named, seen: Set<TreeNode> = new Set()): boolean {
  if (node.text.startsWith('CONSTANT ')) return true
  if (/^(QUERY|UNION) /.test(node.text) || isNumber(node)) return false
  const meant = node.text.startsWith('IDENTIFIER ') ? meantBy(node, named, seen) : []
  return [...node.children, ...meant].some((other) => hasConstant(other, named, seen))
}

function isNumber(node: TreeNode): boolean {
  if (!node.text.startsWith('FUNCTION ')) return false
  const name = functionName(node.text)
  if (!CAST.test(name)) return NUMBER_FUNCTIONS.test(name)
  const type = constantOf(argumentsOf(node)[1]?.text ?? '') ?? 'String'
  return NUMBER_TYPE.test(type.replaceAll('\\', ''))
}
