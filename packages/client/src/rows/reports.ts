import type { ParameterValue, ReportOptions } from '../report/report-options.ts'
import type { Row, RowValue } from './row.ts'

/**
 * The reports of your gateway. It is empty until you add the output of `counterfoil types` to your program. Then the
 * compiler knows parameters, columns and rows of each report.
 */
// oxlint-disable-next-line typescript/no-empty-object-type
export interface Reports {}

/** What `counterfoil types` writes about a report. */
export interface ReportTypes {
  readonly parameters: Readonly<Record<string, ParameterValue | undefined>>
  /** The columns of a report whose request names none. */
  readonly columns: Readonly<Record<string, RowValue>>
  /** The columns that a request must name. */
  readonly optional: Readonly<Record<string, RowValue>>
}

/** The name of a report: one of `Reports`, or any other. */
// oxlint-disable-next-line typescript/no-redundant-type-constituents
export type ReportName = keyof Reports | (string & {})

type TypesOf<Name> = Name extends keyof Reports
  ? Reports[Name] extends ReportTypes
    ? Reports[Name]
    : ReportTypes
  : ReportTypes

type AllColumns<Name> = TypesOf<Name>['columns'] & TypesOf<Name>['optional']

/** The name of a column of a report. */
export type ColumnName<Name> = keyof AllColumns<Name> & string

/** A row of a report, with the columns that the request names, or the usual ones. */
export type RowOf<Name, Columns extends readonly string[]> = Name extends keyof Reports
  ? Columns extends readonly []
    ? TypesOf<Name>['columns']
    : Pick<AllColumns<Name>, Columns[number] & ColumnName<Name>>
  : Row

/** What `rows` asks for: parameters by their names, `columns` and `filters`. */
export type RowsOptions<Name, Columns extends readonly string[]> = Name extends keyof Reports
  ? TypesOf<Name>['parameters'] & {
      readonly columns?: Columns | undefined
      readonly filters?: ReportOptions['filters']
    }
  : Omit<ReportOptions, 'columns'> & { readonly columns?: Columns | undefined }

/** What `report` and `download` ask for: parameters by their names, and the members of the request. */
export type OptionsOf<Name> = Name extends keyof Reports
  ? TypesOf<Name>['parameters'] & {
      readonly columns?: readonly (ColumnName<Name> | NamedColumn<Name>)[] | undefined
    } & Pick<
        ReportOptions,
        'filters' | 'configuration' | 'name' | 'format' | 'encoding' | 'delimiter'
      >
  : ReportOptions

interface NamedColumn<Name> {
  readonly name: ColumnName<Name>
  readonly title: string
}
