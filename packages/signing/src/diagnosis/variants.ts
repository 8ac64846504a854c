import { DIAGNOSED_PARAMETERS_MAX, VARIANT_CHARACTERS_MAX, VARIANTS_MAX } from '../limits.ts'
import { BODY_MISTAKES } from './body-mistakes.ts'
import { ENCODING_MISTAKES } from './encoding-mistakes.ts'
import type { BaseStringMistake } from './mistake.ts'
import { type Mistake, type MistakeCode, publicPart } from './mistakes.ts'
import { ORDER_MISTAKES } from './order-mistakes.ts'
import { PROTOCOL_MISTAKES } from './protocol-mistakes.ts'
import type { Received } from './received.ts'
import { buildBaseString, type Recipe, rightRecipe } from './recipe.ts'
import { TEXT_MISTAKES } from './text-mistakes.ts'
import { URL_MISTAKES } from './url-mistakes.ts'

/** A base string that the caller may have signed, and the mistakes that led to it: one, or two. */
export interface Variant {
  readonly mistake: Mistake
  readonly secondMistake?: Mistake
  readonly baseString: string
}

type Axis = readonly (BaseStringMistake & { readonly code: MistakeCode })[]

interface Change {
  readonly mistake: Mistake
  readonly recipe: Partial<Recipe>
  /** Whether this is the first way to make the mistake with this request. */
  readonly isUsual: boolean
}

const AXES: readonly Axis[] = [
  BODY_MISTAKES,
  PROTOCOL_MISTAKES,
  ENCODING_MISTAKES,
  ORDER_MISTAKES,
  URL_MISTAKES,
  TEXT_MISTAKES,
]

/** The axes whose mistakes often come together. */
const PAIRS: readonly (readonly [first: Axis, second: Axis])[] = [
  [BODY_MISTAKES, ENCODING_MISTAKES],
  [BODY_MISTAKES, URL_MISTAKES],
  [BODY_MISTAKES, ORDER_MISTAKES],
  [URL_MISTAKES, ENCODING_MISTAKES],
  [URL_MISTAKES, ORDER_MISTAKES],
  [URL_MISTAKES, URL_MISTAKES],
  [ENCODING_MISTAKES, ORDER_MISTAKES],
]

/**
 * Yields the base strings of a request's possible mistakes: first of each mistake, then of two at a time. Each is
 * another text, none is the right one. There are at most `VARIANTS_MAX`, of `VARIANT_CHARACTERS_MAX` in all.
 */
export function* baseStringVariants(received: Received): Generator<Variant, void> {
  const right = rightRecipe(received)
  const builder = createBuilder(right)
  const firsts = new Map<Axis, Change[]>(AXES.map((axis) => [axis, []]))
  for (const axis of AXES) {
    for (const change of changesOf(axis, right, received)) {
      const baseString = builder.build(change.recipe)
      if (builder.isUsedUp()) return
      if (baseString === undefined) continue
      if (axis === BODY_MISTAKES || change.isUsual) firsts.get(axis)?.push(change)
      yield { mistake: change.mistake, baseString }
    }
  }
  for (const [axis, secondAxis] of PAIRS) {
    for (const first of firsts.get(axis) ?? []) {
      for (const second of usualChangesOf(secondAxis, { ...right, ...first.recipe }, received)) {
        if (second.mistake.code === first.mistake.code) continue
        const baseString = builder.build({ ...first.recipe, ...second.recipe })
        if (builder.isUsedUp()) return
        if (baseString === undefined) continue
        yield { mistake: first.mistake, secondMistake: second.mistake, baseString }
      }
    }
  }
}

/** Makes each mistake in each of its ways, as far as the request can have it. */
function changesOf(axis: Axis, right: Recipe, received: Received): readonly Change[] {
  return axis.flatMap((entry) => {
    const mistake = publicPart(entry)
    const recipes = entry.ways.flatMap((way) => attempt(() => way(right, received)) ?? [])
    return recipes.map((recipe, index) => ({ mistake, recipe, isUsual: index === 0 }))
  })
}

/** Makes each mistake in the first way that the request can have. */
function usualChangesOf(axis: Axis, right: Recipe, received: Received) {
  return axis.flatMap((entry) => {
    for (const way of entry.ways) {
      const recipe = attempt(() => way(right, received))
      if (recipe) return [{ mistake: publicPart(entry), recipe }]
    }
    return []
  })
}

/** Builds base strings, each text once, until the work is used up. */
interface Builder {
  /** Returns undefined for a text that was built before, or that cannot be built. */
  build(change: Partial<Recipe>): string | undefined
  isUsedUp(): boolean
}

function createBuilder(right: Recipe): Builder {
  const built = new Set([buildBaseString(right)])
  let characters = 0
  return {
    build(change) {
      const recipe = { ...right, ...change }
      if (recipe.parameters.length > DIAGNOSED_PARAMETERS_MAX) return undefined
      const baseString = attempt(() => buildBaseString(recipe))
      characters += baseString?.length ?? 0
      if (baseString === undefined || built.has(baseString)) return undefined
      built.add(baseString)
      return baseString
    },
    isUsedUp: () => built.size > VARIANTS_MAX || characters > VARIANT_CHARACTERS_MAX,
  }
}

function attempt<T>(build: () => T): T | undefined {
  try {
    return build()
  } catch {
    // Text that this mistake cannot encode or decode: nobody can have made it with this request.
    return undefined
  }
}
