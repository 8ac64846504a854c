import { DIAGNOSED_BYTES_MAX, DIAGNOSED_PARAMETERS_MAX, VARIANTS_MAX } from '../limits.ts'
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
}

const AXES: readonly Axis[] = [
  BODY_MISTAKES,
  PROTOCOL_MISTAKES,
  ENCODING_MISTAKES,
  ORDER_MISTAKES,
  URL_MISTAKES,
  TEXT_MISTAKES,
]

/** The axes whose mistakes often come together with a mistake of `BODY_MISTAKES`. */
const SECOND_AXES: readonly Axis[] = [ENCODING_MISTAKES, URL_MISTAKES]

/**
 * Yields the base strings of a request's possible mistakes: first of each mistake, then of two at a time. Each is
 * another text, none is the right one, and there are at most `VARIANTS_MAX`.
 */
export function* baseStringVariants(received: Received): Generator<Variant, void> {
  const right = rightRecipe(received)
  const seen = new Set([buildBaseString(right)])
  for (const change of changesOf(AXES.flat(), right, received)) {
    const baseString = buildNew(right, change.recipe, seen)
    if (baseString !== undefined) yield { mistake: change.mistake, baseString }
    if (seen.size > VARIANTS_MAX) return
  }
  const bodies = effective(changesOf(BODY_MISTAKES, right, received), right)
  for (const change of changesOf(SECOND_AXES.flatMap(usualWays), right, received)) {
    for (const body of bodies) {
      const baseString = buildNew(right, { ...change.recipe, ...body.recipe }, seen)
      if (baseString === undefined) continue
      yield { mistake: body.mistake, secondMistake: change.mistake, baseString }
      if (seen.size > VARIANTS_MAX) return
    }
  }
}

/** Makes each mistake in each of its ways, as far as the request can have it. */
function changesOf(axis: Axis, right: Recipe, received: Received): readonly Change[] {
  return axis.flatMap((entry) => {
    const mistake = publicPart(entry)
    return entry.ways.flatMap((way) => {
      const recipe = attempt(() => way(right, received))
      return recipe ? [{ mistake, recipe }] : []
    })
  })
}

/** Leaves out the changes that do not change the base string, and repeated ones. */
function effective(changes: readonly Change[], right: Recipe): readonly Change[] {
  const seen = new Set([buildBaseString(right)])
  return changes.filter(({ recipe }) => buildNew(right, recipe, seen) !== undefined)
}

/** Leaves each mistake its most usual way only. */
function usualWays(axis: Axis): Axis {
  return axis.map((entry) => ({ ...entry, ways: entry.ways.slice(0, 1) }))
}

/** Builds a base string. Returns undefined for one that was built before, or is too large, or cannot be built. */
function buildNew(right: Recipe, change: Partial<Recipe>, seen: Set<string>): string | undefined {
  const recipe = { ...right, ...change }
  if (recipe.parameters.length > DIAGNOSED_PARAMETERS_MAX) return undefined
  const baseString = attempt(() => buildBaseString(recipe))
  if (baseString === undefined || seen.has(baseString)) return undefined
  if (baseString.length > 4 * DIAGNOSED_BYTES_MAX) return undefined
  seen.add(baseString)
  return baseString
}

function attempt<T>(build: () => T): T | undefined {
  try {
    return build()
  } catch {
    // Text that this mistake cannot encode or decode: nobody can have made it with this request.
    return undefined
  }
}
