import type { Template } from './template.ts'

/** A report with its file. */
export interface LoadedTemplate {
  readonly template: Template
  readonly file: string
  readonly text: string
  /** The line of the member at a path, from 1. */
  readonly lineOf: (path: readonly PropertyKey[]) => number
}
