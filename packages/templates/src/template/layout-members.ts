import * as z from 'zod'
import type { ColumnKind } from '@counterfoil/engine'
import { STATEMENT_ROLES, type StatementRole } from '@counterfoil/formats'

const column = z.string()
const title = z.string().regex(/^[^\p{Cc}]{1,100}$/u, 'expected a title of 1 to 100 characters')

const entrySchema = z
  .strictObject({
    title,
    /** The column with the number of transactions. */
    count: column.optional(),
    /** The column with the fees of these transactions. Their sum is an entry of its own. */
    fees: column.optional(),
    /** The column with the amount that adds to the balance. */
    credit: column.optional(),
    /** The column with the amount that lessens the balance. */
    debit: column.optional(),
  })
  .refine(({ credit, debit }) => (credit === undefined) !== (debit === undefined), {
    error: 'expected either credit or debit, with the name of a column',
  })

/** The member `statement` of a report file: the column of each role, and the entries of a statement. */
export const statementSchema = z.strictObject({
  holder: column,
  holderId: column,
  account: column,
  accountId: column,
  currency: column,
  statement: column,
  day: column,
  opening: column,
  closing: column,
  entries: z.array(entrySchema).min(1).max(50),
} satisfies Record<StatementRole | 'entries', z.ZodType>)

type Fault = (path: readonly (string | number)[], message: string) => void

/** The members of a report file that the checks compare. */
interface Checked {
  readonly roles: readonly string[]
  readonly columns: readonly {
    readonly name: string
    readonly kind: ColumnKind
    readonly roles?: readonly string[] | undefined
  }[]
  readonly statement?: z.output<typeof statementSchema> | undefined
}

const TEXTS: readonly ColumnKind[] = ['text', 'id']
const DAYS: readonly ColumnKind[] = ['date', 'time']

/** The kinds of columns that a member can name. */
const STATEMENT_KINDS: Readonly<Record<StatementRole, readonly ColumnKind[]>> = {
  holder: TEXTS,
  holderId: TEXTS,
  account: TEXTS,
  accountId: TEXTS,
  currency: ['text'],
  statement: TEXTS,
  day: DAYS,
  opening: ['money'],
  closing: ['money'],
}
const ENTRY_KINDS = {
  count: ['integer'],
  fees: ['money'],
  credit: ['money'],
  debit: ['money'],
} as const

/** Finds members of layouts that name no column, or a column of another kind or role. */
export function checkLayouts({ statement, columns, roles }: Checked, fault: Fault): void {
  const check = (
    path: readonly (string | number)[],
    named: string | undefined,
    kinds: readonly ColumnKind[],
  ): void => {
    if (named === undefined) return
    const known = columns.find(({ name }) => name === named)
    const seenBy = known?.roles ?? roles
    if (!known) fault(path, 'expected the name of a column')
    else if (!kinds.includes(known.kind)) {
      fault(path, `expected a column of the kind ${kinds.join(' or ')}`)
    } else if (!roles.every((role) => seenBy.includes(role))) {
      fault(path, 'expected a column that every role of the report has')
    }
  }
  if (statement) {
    for (const role of STATEMENT_ROLES) {
      check(['statement', role], statement[role], STATEMENT_KINDS[role])
    }
    const titles = statement.entries.map((entry) => entry.title)
    for (const [index, entry] of statement.entries.entries()) {
      if (titles.indexOf(entry.title) !== index) {
        fault(['statement', 'entries', index, 'title'], 'expected a unique title')
      }
      for (const member of ['count', 'fees', 'credit', 'debit'] as const) {
        check(['statement', 'entries', index, member], entry[member], ENTRY_KINDS[member])
      }
    }
  }
}
