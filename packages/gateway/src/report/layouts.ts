import type { LayoutColumn, StatementLayout, StatementRole } from '@counterfoil/formats'
import { selectedColumn, type Template } from '@counterfoil/templates'

/** Returns the layout of a report's statements, if its file has one. */
export function statementOf(template: Template): StatementLayout | undefined {
  const { statement } = template
  if (!statement) return undefined
  const named = (name: string | undefined): LayoutColumn | undefined => columnOf(template, name)
  const of = (role: StatementRole): LayoutColumn => required(named(statement[role]))
  return {
    columns: {
      holder: of('holder'),
      holderId: of('holderId'),
      account: of('account'),
      accountId: of('accountId'),
      currency: of('currency'),
      statement: of('statement'),
      day: of('day'),
      opening: of('opening'),
      closing: of('closing'),
    },
    entries: statement.entries.map(({ title, count, fees, credit, debit }) => ({
      title,
      count: named(count),
      fees: named(fees),
      amount: required(named(credit ?? debit)),
      isCredit: credit !== undefined,
    })),
  }
}

function columnOf(template: Template, name: string | undefined): LayoutColumn | undefined {
  const column = template.columns.find((candidate) => candidate.name === name)
  return column && { title: column.name, ...selectedColumn(template, column) }
}

/** The check of report files has found the column. */
function required(column: LayoutColumn | undefined): LayoutColumn {
  if (!column) throw new Error('A layout names a column that the report does not have.')
  return column
}
