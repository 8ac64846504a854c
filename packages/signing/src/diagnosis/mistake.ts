import type { Received } from './received.ts'
import type { Recipe } from './recipe.ts'

/** A mistake of a caller who signs requests. Every text is fixed: it holds nothing of the request. */
export interface Mistake<Code extends string = string> {
  /** Stable: let your code decide by it. */
  readonly code: Code
  /** What is wrong, in one sentence. */
  readonly sentence: string
  /** What to do, in one sentence. */
  readonly fix: string
  /** The clause that says so: of the specification, of an RFC, or of this project's documentation. */
  readonly clause: string
}

/** One way to make a mistake: what it changes of the right recipe, or undefined if this request cannot have it. */
export type Way = (right: Recipe, received: Received) => Partial<Recipe> | undefined

/** A mistake that changes the base string, and the ways to make it. */
export interface BaseStringMistake extends Mistake {
  readonly ways: readonly Way[]
}
