import type { Parameter } from '../parameter.ts'
import type { BaseStringMistake, Way } from './mistake.ts'
import { compareTexts, type Pair } from './recipe.ts'

const SORTING = 'RFC 5849, 3.4.1.3.2'
const FIX = 'Sort the encoded pairs by name and then by value, byte by byte.'

const { compare: byLocale } = new Intl.Collator('en')

/** The order in which programs write the `oauth_*` parameters before they sort them. */
const USUAL = ['consumer_key', 'token', 'nonce', 'signature_method', 'timestamp', 'version']
const OTHER_USUAL = ['consumer_key', 'token', 'signature_method', 'timestamp', 'nonce', 'version']

/** The orders in which callers sign the parameters by mistake. */
export const ORDER_MISTAKES = [
  {
    code: 'order-after-joining',
    sentence: 'You sorted the joined texts "name=value".',
    fix: FIX,
    clause: SORTING,
    ways: [() => ({ compare: (a, b) => compareTexts(joined(a), joined(b)) })],
  },
  {
    code: 'order-before-encoding',
    sentence: 'You sorted the parameters before you encoded them.',
    fix: 'Encode the names and values first, and then sort them.',
    clause: SORTING,
    ways: [
      () => ({
        compare: (a, b) => compareTexts(a.name, b.name) || compareTexts(a.value, b.value),
      }),
    ],
  },
  {
    code: 'order-by-name-only',
    sentence: 'You sorted the parameters by name, and did not sort the values of a repeated name.',
    fix: FIX,
    clause: SORTING,
    ways: [() => ({ compare: byName })],
  },
  {
    code: 'order-case-insensitive',
    sentence: 'You sorted upper-case and lower-case letters as if they were equal.',
    fix: `${FIX.slice(0, -1)}: upper case comes before lower case.`,
    clause: SORTING,
    ways: [
      () => ({
        compare: (a, b) => compareTexts(a.encodedName.toLowerCase(), b.encodedName.toLowerCase()),
      }),
    ],
  },
  {
    code: 'order-by-locale',
    sentence: 'You sorted the parameters by the rules of a language.',
    fix: `${FIX.slice(0, -1)}: not with localeCompare or a collation.`,
    clause: SORTING,
    ways: [
      () => ({
        compare: (a, b) =>
          byLocale(a.encodedName, b.encodedName) || byLocale(a.encodedValue, b.encodedValue),
      }),
      () => ({ compare: (a, b) => byLocale(joined(a), joined(b)) }),
    ],
  },
  {
    code: 'order-reversed',
    sentence: 'You sorted the parameters from the last to the first.',
    fix: `${FIX.slice(0, -1)}, in ascending order.`,
    clause: SORTING,
    ways: [
      ({ compare }) => ({ compare: (a, b) => compare(b, a) }),
      () => ({ compare: (a, b) => byName(b, a) }),
    ],
  },
  // Last, because an order by another mistake may be the order of the request.
  {
    code: 'order-unsorted',
    sentence: 'You did not sort the parameters.',
    fix: FIX,
    clause: 'specification, Signature generation, step 3',
    ways: [
      ({ parameters }) => unsorted(parameters),
      (_, { header, query, form }) => unsorted([...query, ...form, ...header]),
      (_, { header, query, form }) => unsorted([...form, ...query, ...header]),
      (_, { header, query, form }) => unsorted([...header, ...form, ...query]),
      ...[USUAL, OTHER_USUAL].flatMap((names): readonly Way[] => [
        (_, { header, query, form }) => unsorted([...inOrder(header, names), ...query, ...form]),
        (_, { header, query, form }) => unsorted([...query, ...form, ...inOrder(header, names)]),
      ]),
      // The header's parameters sorted, then the others sorted, and the reverse.
      () => ({ compare: (a, b) => isProtocol(b) - isProtocol(a) || byName(a, b) }),
      () => ({ compare: (a, b) => isProtocol(a) - isProtocol(b) || byName(a, b) }),
    ],
  },
] as const satisfies readonly BaseStringMistake[]

function unsorted(parameters: readonly Parameter[]) {
  return { parameters, compare: () => 0 }
}

function inOrder(header: readonly Parameter[], names: readonly string[]): readonly Parameter[] {
  const place = ([name]: Parameter) => names.indexOf(name.slice('oauth_'.length))
  return header.toSorted((a, b) => place(a) - place(b))
}

function joined({ encodedName, encodedValue }: Pair): string {
  return `${encodedName}=${encodedValue}`
}

function byName(a: Pair, b: Pair): number {
  return compareTexts(a.encodedName, b.encodedName)
}

function isProtocol({ name }: Pair): number {
  return name.startsWith('oauth_') ? 1 : 0
}
