import { MISTAKES, REFUSAL_STEPS } from '../packages/signing/src/index.ts'
import { code, markdownTable } from './markdown-table.ts'

/** Generates the table of docs/mistakes.md, without the codes of refusals, which docs/signing.md lists. */
export function mistakeTable(): string {
  const others = MISTAKES.filter(({ code: name }) => !(name in REFUSAL_STEPS))
  const rows = [...Map.groupBy(others, ({ fix }) => fix)].map(([fix, mistakes]) => {
    return [mistakes.map((mistake) => code(mistake.code)).join(', '), fix]
  })
  return markdownTable(['Code', 'Fix'], rows)
}
