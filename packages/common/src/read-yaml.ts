import { isMap, isScalar, isSeq, LineCounter, type ParsedNode, parseDocument } from 'yaml'
import * as z from 'zod'
import { GatewayError } from './errors.ts'
import { LIMITS } from './limits.ts'
import { nearestName } from '@counterfoil/protocol'
import { readRegularFile } from './read-files.ts'

/** A file that matches its schema. */
export interface YamlFile<T> {
  readonly value: T
  /** The file's text. */
  readonly text: string
  /**
   * Returns the line of the member at a path, from 1. If there is no such member, the line of the nearest member around
   * it.
   */
  readonly lineOf: (path: readonly PropertyKey[]) => number
}

interface Fault {
  readonly line: number
  readonly message: string
}

/**
 * Reads a YAML file and checks it against a schema.
 *
 * @throws {GatewayError} with `code` and one line for each fault: `file:line: field: what was expected`
 */
export function readYaml<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  code: 'config' | 'template' = 'config',
): YamlFile<z.output<Schema>> {
  return checkYaml(readText(file, code), file, schema, code)
}

/**
 * Checks YAML against a schema, as {@link readYaml} does.
 *
 * @param file the name of the text's file, for errors
 */
export function checkYaml<Schema extends z.ZodType>(
  text: string,
  file: string,
  schema: Schema,
  code: 'config' | 'template' = 'config',
): YamlFile<z.output<Schema>> {
  const refuse = (faults: readonly Fault[]) => {
    const lines = faults
      .toSorted((one, other) => one.line - other.line)
      .map(({ line, message }) => `${file}:${line}: ${message}`)
    return new GatewayError(code, lines.join('\n'))
  }
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const malformed = [...document.errors, ...document.warnings]
  if (malformed.length > 0) {
    throw refuse(
      malformed.map(({ pos, message }) => ({ line: lines.linePos(pos[0]).line, message })),
    )
  }
  const lineOf = (path: readonly PropertyKey[]) =>
    lines.linePos(offsetOf(document.contents, path)).line

  const checked = schema.safeParse(toValue(document, file, code), {
    error: explainUnknown,
    reportInput: true,
  })
  if (checked.success) return { value: checked.data, text, lineOf }
  const { issues } = checked.error
  const misspelt = new Set(issues.flatMap(misspeltPaths))
  const faults = issues
    .filter(({ input, path }) => input !== undefined || !misspelt.has(z.core.toDotPath(path)))
    .flatMap(describe)
  throw refuse(faults.map(({ path, message }) => ({ line: lineOf(path), message })))
}

/**
 * Reads a text file in UTF-8.
 *
 * @throws {GatewayError} with `code` if the file cannot be read
 */
export function readText(file: string, code: 'config' | 'template'): string {
  try {
    const bytes = readRegularFile(file, LIMITS.yamlFileBytesMax)
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new GatewayError(code, `${file}: ${unreadable(cause)}`, { cause })
  }
}

function unreadable(cause: unknown): string {
  const errorCode = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (errorCode === 'ENOENT') return 'this file does not exist'
  if (errorCode === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'expected text in UTF-8'
  return `cannot read this file: ${cause instanceof Error ? cause.message : String(cause)}`
}

/** Converts the document to plain values. It fails for references (`*name`). */
function toValue(
  document: { toJS(): unknown },
  file: string,
  code: 'config' | 'template',
): unknown {
  try {
    return document.toJS()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new GatewayError(code, `${file}: ${reason}`, { cause })
  }
}

/** The message for members that a schema does not know: one line for each member. */
const explainUnknown: z.core.$ZodErrorMap = (issue) => {
  if (issue.code !== 'unrecognized_keys' || !(issue.inst instanceof z.ZodObject)) return undefined
  const known = Object.keys(issue.inst.shape)
  return issue.keys.map((name) => unknownName(name, known)).join('\n')
}

function unknownName(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known)
  const hint = nearest ? `did you mean "${nearest}"?` : `expected one of ${known.join(', ')}`
  return `unknown name, ${hint}`
}

/** The paths of members that an issue suggests for misspelt names. */
function misspeltPaths({ code, message, path }: z.core.$ZodIssue): readonly string[] {
  if (code !== 'unrecognized_keys') return []
  const names = [...message.matchAll(/did you mean "(.+)"\?$/gm)]
  return names.map(([, name = '']) => z.core.toDotPath([...path, name]))
}

/** The faults of an issue, each with the path of its member. */
function describe(issue: z.core.$ZodIssue): { path: readonly PropertyKey[]; message: string }[] {
  if (issue.code === 'unrecognized_keys') {
    const messages = issue.message.split('\n')
    return issue.keys.map((key, index) => located([...issue.path, key], messages[index] ?? ''))
  }
  const message = issue.message.replace(/^(Invalid|Too) [a-z]+: /, '')
  const missing = issue.input === undefined
  return [
    located(issue.path, missing ? message.replace(/(, received .*)?$/, ', got nothing') : message),
  ]
}

function located(path: readonly PropertyKey[], message: string) {
  return { path, message: path.length > 0 ? `${z.core.toDotPath(path)}: ${message}` : message }
}

function offsetOf(root: ParsedNode | null, path: readonly PropertyKey[]): number {
  let node = root
  let offset = root?.range[0] ?? 0
  for (const step of path) {
    if (isMap<ParsedNode, ParsedNode | null>(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === step)
      if (!pair) return offset
      offset = pair.key.range[0]
      node = pair.value
    } else if (isSeq<ParsedNode>(node) && typeof step === 'number') {
      node = node.items[step] ?? null
      offset = node?.range[0] ?? offset
    } else {
      return offset
    }
  }
  return offset
}
