import {
  type Alternative,
  type Choice,
  type Field,
  type Operation,
  operationPath,
  OPERATIONS,
} from '../packages/protocol/src/index.ts'
import { VALUE_CHECKS } from '../packages/protocol/src/payments/value-checks.ts'
import { code, markdownTable, wrapParagraph } from './markdown.ts'

/** Conditions that the page explains once for all kinds: card numbers and card fields in other fields. */
const EXPLAINED = /^no.* card /

/** Generates the section "Fields" of docs/sandbox.md from the operations' declarations. */
export function fieldTables(): string {
  return [kindTable(), ...Object.values(OPERATIONS).map(sectionOf)].join('\n\n')
}

function kindTable(): string {
  const rows = Object.entries(VALUE_CHECKS).map(([kind, checks]) => {
    const expected = checks.map((check) => check.expected).filter((text) => !EXPLAINED.test(text))
    return [kind, expected.join('; ')]
  })
  return markdownTable(['Kind', 'What it takes'], rows)
}

function sectionOf(operation: Operation): string {
  const { name, title, answerId, fields } = operation
  const rows = [...Map.groupBy(fields, (field) => necessityOf(field, operation))].map(
    ([necessity, needed]) => [necessity || 'optional', listOf(needed)],
  )
  const answer = answerId === undefined ? 'its result' : code(answerId)
  return [
    `### ${name}`,
    wrapParagraph(
      `To ${title}: ${code(`POST …${operationPath(operation, '<endpoint id>')}`)}, answered with ${answer}.`,
    ),
    markdownTable(['When', 'Fields: kind, characters'], rows),
  ].join('\n\n')
}

/** Lists fields, those of one kind and length together. */
function listOf(fields: readonly Field[]): string {
  const alike = Map.groupBy(fields, (field) => `${field.kind}, ${lengthsOf(field)}`)
  return [...alike].map(([kind, group]) => `${group.map(namesOf).join(', ')}: ${kind}`).join('; ')
}

function namesOf({ name, otherName }: Field): string {
  return [name, otherName].map(code).filter(Boolean).join(' or ')
}

function lengthsOf({ lengthMin = 1, lengthMax }: Field): string {
  return lengthMin === lengthMax ? `${lengthMax}` : `${lengthMin}–${lengthMax}`
}

function necessityOf({ name, required }: Field, { fields, choices }: Operation): string {
  if (required) return 'required'
  const necessities = choices.flatMap((choice) => {
    return choice.alternatives.flatMap((alternative) => {
      return necessityIn(name, choice, alternative, fields)
    })
  })
  return necessities.join('; ')
}

function necessityIn(
  name: string,
  { title, required, alternatives }: Choice,
  way: Alternative,
  fields: readonly Field[],
): readonly string[] {
  const { field, requires = [], allows = [] } = way
  if (requires.includes(name)) return [`required with ${code(field)}`]
  if (allows.includes(name)) return [`optional with ${code(field)}`]
  if (field !== name || !required) return []
  const isBoolean = (other: string) => fields.find((one) => one.name === other)?.kind === 'boolean'
  const others = alternatives
    .filter((other) => other !== way)
    .map((other) => code(isBoolean(other.field) ? `${other.field}=true` : other.field))
  return [`${title}: this${isBoolean(name) ? ' (`true`)' : ''} or ${others.join(' or ')}`]
}
