import {
  DIAGNOSED_PARAMETERS_MAX,
  VARIANT_CHARACTERS_MAX,
  VARIANTS_MAX,
} from '../refusals/limits.ts'
import { ENCODING_WAYS, ORDER_WAYS } from './encoding-ways.ts'
import type { MistakeCode } from './mistakes.ts'
import { BODY_WAYS, PROTOCOL_WAYS } from './parameter-ways.ts'
import { type Axis, buildBaseString, type Received, type Recipe, rightRecipe } from './recipe.ts'
import { TEXT_WAYS, URL_WAYS } from './url-ways.ts'

/** A base string that the caller may have signed, and the mistakes that led to it: one, or two. */
export interface Variant {
  readonly code: MistakeCode
  readonly secondCode?: MistakeCode
  readonly baseString: string
}

interface Change {
  readonly code: MistakeCode
  readonly recipe: Partial<Recipe>
  /** Whether this is the first way to make the mistake with this request. */
  readonly isUsual: boolean
}

const AXES = [BODY_WAYS, PROTOCOL_WAYS, ENCODING_WAYS, ORDER_WAYS, URL_WAYS, TEXT_WAYS]

/** The axes whose mistakes often come together. */
const PAIRS: readonly (readonly [first: Axis, second: Axis])[] = [
  [BODY_WAYS, ENCODING_WAYS],
  [BODY_WAYS, URL_WAYS],
  [BODY_WAYS, ORDER_WAYS],
  [URL_WAYS, ENCODING_WAYS],
  [URL_WAYS, ORDER_WAYS],
  [URL_WAYS, URL_WAYS],
  [ENCODING_WAYS, ORDER_WAYS],
]

/**
 * Yields the base strings of a request's possible mistakes: first of each mistake, then of two at a time. Each is
 * another text, none is the right one. There are at most `VARIANTS_MAX`, of `VARIANT_CHARACTERS_MAX` in all.
 */
export function* baseStringVariants(received: Received): Generator<Variant, void> {
  const right = rightRecipe(received)
  const built = new Set([buildBaseString(right)])
  let characters = 0
  const isUsedUp = () => built.size > VARIANTS_MAX || characters > VARIANT_CHARACTERS_MAX
  /** Builds a base string. Returns undefined for a text that was built before, or that cannot be built. */
  const build = (change: Partial<Recipe>): string | undefined => {
    const recipe = { ...right, ...change }
    if (recipe.parameters.length > DIAGNOSED_PARAMETERS_MAX) return undefined
    const baseString = attempt(() => buildBaseString(recipe))
    characters += baseString?.length ?? 0
    if (baseString === undefined || built.has(baseString)) return undefined
    built.add(baseString)
    return baseString
  }

  const firsts = new Map<Axis, Change[]>(AXES.map((axis) => [axis, []]))
  for (const axis of AXES) {
    for (const change of changesOf(axis, right, received)) {
      const baseString = build(change.recipe)
      if (isUsedUp()) return
      if (baseString === undefined) continue
      if (axis === BODY_WAYS || change.isUsual) firsts.get(axis)?.push(change)
      yield { code: change.code, baseString }
    }
  }
  for (const [axis, secondAxis] of PAIRS) {
    for (const first of firsts.get(axis) ?? []) {
      for (const second of changesOf(secondAxis, { ...right, ...first.recipe }, received)) {
        if (!second.isUsual || second.code === first.code) continue
        const baseString = build({ ...first.recipe, ...second.recipe })
        if (isUsedUp()) return
        if (baseString === undefined) continue
        yield { code: first.code, secondCode: second.code, baseString }
      }
    }
  }
}

/** Makes each mistake in each of its ways, as far as the request can have it. */
function changesOf(axis: Axis, right: Recipe, received: Received): readonly Change[] {
  return axis.flatMap(([code, ...ways]) => {
    const recipes = ways.flatMap((way) => attempt(() => way(right, received)) ?? [])
    return recipes.map((recipe, index) => ({ code, recipe, isUsual: index === 0 }))
  })
}

function attempt<T>(build: () => T): T | undefined {
  try {
    return build()
  } catch {
    // Text that this mistake cannot encode or decode: nobody can have made it with this request.
    return undefined
  }
}
