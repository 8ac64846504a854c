import type {
  Catalogue,
  CatalogueColumn,
  CatalogueParameter,
  CatalogueReport,
  InputType,
} from '@counterfoil/protocol'

/**
 * Writes TypeScript types from the catalogue of a login. Save them as a file of your program, such as
 * `reports.d.ts`. Then the compiler knows parameters, columns and rows of each report. The command `counterfoil types`
 * prints them.
 *
 * @example
 * const client = new CounterfoilClient({ endpoint, login, controlKey })
 * const types = typesOf(await client.catalogue())
 * types.includes(`'transactions-list': {`) // true
 */
export function typesOf({ login, reports }: Catalogue): string {
  return `// The reports of the login ${inComment(login)}. To update this file, run \`counterfoil types\` again.
import type {} from '@counterfoil/client'

declare module '@counterfoil/client' {
  interface Reports {
${reports.map(reportType).join('')}  }
}
`
}

function reportType(report: CatalogueReport): string {
  const { reportIdentifier, title, schemaHash, columns, inputReportParameters } = report
  return `    /** ${inComment(title)}. Schema ${inComment(schemaHash)}. */
    ${literal(reportIdentifier)}: {
      parameters: {
${inputReportParameters.map(parameterMember).join('')}      }
      columns: {
${columns
  .filter(({ optional }) => !optional)
  .map(columnMember)
  .join('')}      }
      optional: {
${columns
  .filter(({ optional }) => optional)
  .map(columnMember)
  .join('')}      }
    }
`
}

function parameterMember(parameter: CatalogueParameter): string {
  const { name, title, required } = parameter
  const type = parameterType(parameter)
  const member = required ? `${literal(name)}: ${type}` : `${literal(name)}?: ${type} | undefined`
  return `        /** ${inComment(title)} */\n        ${member}\n`
}

/** The types of parameters that are no texts. */
const PARAMETER_TYPES: Readonly<Partial<Record<InputType, string>>> = {
  INPUT_NUMBER: 'number | string',
  INPUT_BOOLEAN: 'boolean',
}

function parameterType({ type, list, allowed }: CatalogueParameter): string {
  const choices = typeof allowed === 'object' ? allowed.map(literal).join(' | ') : 'string'
  return list ? `readonly (${choices})[]` : (PARAMETER_TYPES[type] ?? choices)
}

function columnMember({ name, kind, about }: CatalogueColumn): string {
  const type = kind === 'integer' ? 'number | null' : 'string | null'
  return `        /** ${inComment(about)} */\n        ${literal(name)}: ${type}\n`
}

/** Writes a string literal. */
function literal(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

/** Makes a text one line, which does not end its comment. */
function inComment(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('*/', '* /')
}
