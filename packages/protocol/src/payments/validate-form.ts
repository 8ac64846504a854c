import {
  type Alternative,
  type Choice,
  type Field,
  type FieldKind,
  type Operation,
  type OperationErrorName,
  spellingsOf,
} from './operation.ts'
import { VALUE_CHECKS } from './value-checks.ts'

/** One fault of a form: the field, and what was expected of it. It never holds the value. */
export interface OperationFault {
  readonly error: OperationErrorName
  /**
   * The field's name as the form spells it, or the field's own name if it is missing. The empty string is the form
   * itself.
   */
  readonly field: string
  readonly expected: string
}

/** A valid form, as values by the fields' own names, or all faults of a form. */
export type ValidatedForm =
  | { readonly values: ReadonlyMap<string, string> }
  | { readonly faults: readonly [OperationFault, ...OperationFault[]] }

/** The decoded pairs of a form, in order. */
export type FormPairs = readonly (readonly [name: string, value: string])[]

interface Sent {
  readonly field: Field
  readonly spelling: string
  readonly value: string
}

/** The most pairs in a form, far more than any operation has fields and spellings. */
const PAIRS_MAX = 200

/**
 * Checks a form against the declaration of an operation. It skips `oauth_*` pairs, which the check of the signature
 * covers (specification, "Authorization header"). Everything else must be a field of the operation, in one spelling,
 * once. An empty field counts as absent. A form of more than 200 pairs has one fault, so that no form causes a long list of faults.
 */
export function validateForm(operation: Operation, pairs: FormPairs): ValidatedForm {
  if (pairs.length > PAIRS_MAX) return { faults: [TOO_MANY_PAIRS] }
  const { sent, faults: nameFaults } = readNames(operation, pairs)
  const [first, ...others] = [
    ...nameFaults,
    ...operation.fields.flatMap((field) => {
      const one = sent.get(field.name)
      if (one) return valueFaults(one)
      return field.required ? [missing(field.name, 'expected this field')] : []
    }),
    ...operation.choices.flatMap((choice) => choiceFaults(choice, sent)),
  ]
  if (first) return { faults: [first, ...others] }
  return { values: new Map([...sent].map(([name, { value }]) => [name, value])) }
}

const TOO_MANY_PAIRS: OperationFault = {
  error: 'unreadable-form',
  field: '',
  expected: `expected at most ${PAIRS_MAX} fields`,
}

// A body that is not a form looks like one long name. Faults show only what looks like a field's name.
const NAME_LENGTH_MAX = 64
const NAME = /^(?!.*\d{6})[a-z][a-z\d_-]*$/i

function readNames(
  operation: Operation,
  pairs: FormPairs,
): { sent: ReadonlyMap<string, Sent>; faults: readonly OperationFault[] } {
  const bySpelling = new Map(
    operation.fields.flatMap((field) => {
      return spellingsOf(field).map((spelling) => [spelling, field] as const)
    }),
  )
  const sent = new Map<string, Sent>()
  const faults: OperationFault[] = []
  for (const [spelling, value] of pairs) {
    if (spelling.startsWith('oauth_')) continue
    const field = bySpelling.get(spelling)
    const before = field && sent.get(field.name)
    if (!field) {
      const short = spelling.length <= NAME_LENGTH_MAX ? spelling : ''
      const name = NAME.test(short) ? short : ''
      faults.push({
        error: 'unknown-field',
        field: name,
        expected: describeExpectedName(short, operation),
      })
    } else if (value === '') {
      continue
    } else if (!before) {
      sent.set(field.name, { field, spelling, value })
    } else if (before.spelling === spelling) {
      faults.push({ error: 'repeated-field', field: spelling, expected: 'expected it once' })
    } else {
      const expected = `expected either ${spellingsOf(field).join(' or ')}: they are one field`
      faults.push({ error: 'repeated-field', field: spelling, expected })
    }
  }
  return { sent, faults }
}

/** Describes the expected name: that of the field with the same letters, or of any field. */
function describeExpectedName(spelling: string, { name, fields }: Operation): string {
  const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z\d]/g, '')
  const meant = fields.find((field) => lettersOf(field.name) === lettersOf(spelling))
  if (meant) return `expected ${spellingsOf(meant).join(' or ')}`
  return `expected fields of ${name} only`
}

function valueFaults({ field, spelling, value }: Sent): OperationFault[] {
  const { kind, lengthMin = 1, lengthMax } = field
  const fault = (error: OperationErrorName, expected: string): OperationFault[] => {
    return [{ error, field: spelling, expected: `expected ${expected}` }]
  }
  // A character has one or two code units, so this slice never makes a long value short enough.
  const { length } = Array.from(value.slice(0, 2 * lengthMax + 1))
  if (length < lengthMin || length > lengthMax) {
    const [first] = OPEN_KINDS.includes(kind) ? [] : VALUE_CHECKS[kind]
    const range = lengthMin === lengthMax ? lengthMin : `${lengthMin} to ${lengthMax}`
    const lengths = `${range} characters`
    return fault('field-length', first ? `${lengths}: ${first.expected}` : lengths)
  }
  for (const { accepts, expected, error = 'field-value' } of VALUE_CHECKS[kind]) {
    if (!accepts(value)) return fault(error, expected)
  }
  return []
}

/** Kinds whose values may have any length between the field's limits. Other kinds have a format, which errors name. */
const OPEN_KINDS: readonly FieldKind[] = ['text', 'phone', 'identifier']

function choiceFaults(
  { title, required, alternatives }: Choice,
  sent: ReadonlyMap<string, Sent>,
): OperationFault[] {
  const isChosen = ({ field }: Alternative) => (sent.get(field)?.value ?? 'false') !== 'false'
  const conflict = (name: string, expected: string): OperationFault[] => {
    const one = sent.get(name)
    return one ? [{ error: 'conflicting-fields', field: one.spelling, expected }] : []
  }
  const chosen = alternatives.filter(isChosen)
  const names = alternatives.map(({ field }) => describeAlternative(field, sent)).join(', ')
  if (chosen.length > 1) {
    const expected = `expected one alone as ${title}: ${names}`
    return chosen.flatMap(({ field }) => conflict(field, expected))
  }
  if (required && chosen.length === 0) return [missing('', `expected ${title}: one of ${names}`)]
  const absent = chosen.flatMap(({ field, requires = [] }) => {
    const ones = requires.filter((name) => !sent.has(name))
    return ones.map((name) => missing(name, `expected it with ${field}`))
  })
  const allowed = new Set(chosen.flatMap(companionsOf))
  const others = [...new Set(alternatives.flatMap(companionsOf))].filter(
    (name) => !allowed.has(name),
  )
  const misplaced = others.flatMap((name) => {
    const owners = alternatives.filter((owner) => companionsOf(owner).includes(name))
    return conflict(name, `expected it only with ${owners.map(({ field }) => field).join(' or ')}`)
  })
  return [...absent, ...misplaced]
}

/** With the name of the field, or with `=true` if the form has the boolean field as `false`. */
function describeAlternative(field: string, sent: ReadonlyMap<string, Sent>): string {
  return sent.get(field)?.value === 'false' ? `${field}=true` : field
}

function companionsOf({ requires = [], allows = [] }: Alternative): readonly string[] {
  return [...requires, ...allows]
}

function missing(field: string, expected: string): OperationFault {
  return { error: 'missing-field', field, expected }
}
