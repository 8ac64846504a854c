import { holdsCardNumber, type ProblemFault } from '@counterfoil/protocol'
import { fieldProblem, type Role } from '@counterfoil/common'
import type { Format } from '@counterfoil/formats'
import { isFor, separatesTotals, type Template, type TemplateColumn } from '@counterfoil/templates'
import type { Envelope } from './envelope.ts'

/** A column of the report file. */
export interface ChosenColumn {
  readonly column: TemplateColumn
  /** The title in the header row. */
  readonly title: string
}

const TITLE = /^[^\p{Cc}\p{Cs}]{1,100}$/u
const TITLE_EXPECTED = 'a title of 1 to 100 characters, without control characters'

/**
 * Chooses the columns of a report with their order and titles: the columns that `outputReportParameters` names, or all
 * columns that are not optional. A document also gets the optional columns that separate its totals: its reader would
 * otherwise sum amounts that do not belong together.
 *
 * @throws `invalid-parameter`, which lists the report's columns that this role may see
 */
export function chooseColumns(
  template: Template,
  elements: Envelope['outputReportParameters'],
  role: Role,
  { isDocument }: Pick<Format, 'isDocument'> = {},
): readonly ChosenColumn[] {
  const known = template.columns.filter((column) => isFor(column, role))
  if (elements.length === 0) {
    return known
      .filter(
        (column) => !column.optional || (isDocument === true && separatesTotals(template, column)),
      )
      .map((column) => ({ column, title: column.name }))
  }
  const faults: ProblemFault[] = []
  const chosen: ChosenColumn[] = []
  for (const [index, element] of elements.entries()) {
    const pointer = `/outputReportParameters/${index}`
    const isName = typeof element === 'string'
    const name = isName ? element : element.name
    const column = known.find((candidate) => candidate.name === name)
    if (!column) {
      const names = known.map((other) => other.name).join(', ')
      const expected = `one of this report's columns: ${names}`
      faults.push({ pointer: isName ? pointer : `${pointer}/name`, expected })
      continue
    }
    const title = isName || element.value === '' ? name : element.value
    if (!TITLE.test(title)) {
      faults.push({ pointer: `${pointer}/value`, expected: TITLE_EXPECTED })
    } else if (holdsCardNumber(title)) {
      faults.push({ pointer: `${pointer}/value`, expected: 'a title without a card number' })
    } else if (chosen.some((other) => other.column === column)) {
      faults.push({ pointer, expected: `${name} once` })
    } else if (chosen.some((other) => other.title === title)) {
      faults.push({ pointer, expected: `a unique title, got ${title} again` })
    }
    chosen.push({ column, title })
  }
  if (faults.length > 0) throw fieldProblem('invalid-parameter', faults)
  return chosen
}
