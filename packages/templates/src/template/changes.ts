import type { TemplateParameter } from './template.ts'

/** Asks for the rows that changed after an earlier run. Reports with `changes` have it. */
export const CHANGED_SINCE: TemplateParameter = {
  name: 'changedSince',
  title:
    'The cursor of an earlier run: only rows that changed after it; for operators and merchants',
  type: 'INPUT_DATETIME',
  required: false,
  list: false,
  isCursor: true,
}

/**
 * Returns the conditions for the rows that changed after the cursor of a request, up to the watermark of its run. The
 * gateway binds both ends to names that no report file can use.
 *
 * @param changes SQL for the time at which the ledger received a row
 */
export function changesConditions(
  changes: string | undefined,
  hasValue: (parameter: string) => boolean,
): readonly string[] {
  if (changes === undefined || !hasValue(CHANGED_SINCE.name)) return []
  return [
    `(${changes}\n) > {_changedAfter:DateTime64(3, 'UTC')}`,
    `(${changes}\n) <= {_changedUntil:DateTime64(3, 'UTC')}`,
  ]
}
