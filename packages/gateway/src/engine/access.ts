import { mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** The rights of a query: `owner` may do everything, `report` may read some columns. */
export const ENGINE_ROLES = ['owner', 'report'] as const

/** See {@link ENGINE_ROLES}. */
export type EngineRole = (typeof ENGINE_ROLES)[number]

/** The columns that the role `report` may read, by table. */
export type ReportColumns = Readonly<Record<string, readonly string[]>>

/**
 * Returns the rights of the role `report`, as the engine writes them. A right to a complete table would include the
 * engine's own columns, such as `_part`.
 */
export function reportRights(columns: ReportColumns): readonly string[] {
  return [
    ...Object.entries(columns).map(([table, names]) => {
      return `GRANT SELECT(${names.toSorted().join(', ')}) ON default.${table}`
    }),
    // The ledger's name columns read dictionaries.
    'GRANT dictGet ON default.*',
  ]
}

/**
 * Writes the rights of the roles into a folder. The role `report` may read the given columns and look names up. It may
 * change nothing, and may not use table functions that open files or addresses.
 *
 * @returns the engine's argument that applies the rights
 */
export function writeAccess(folder: string, reportColumns: ReportColumns): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const users = resolve(folder, 'users.xml')
  const config = resolve(folder, 'config.xml')
  writeFileSync(users, usersXml(reportColumns), { mode: 0o600 })
  writeFileSync(config, configXml(users), { mode: 0o600 })
  return `--config-file=${config}`
}

function configXml(users: string): string {
  const path = escapeXml(users)
  return `<clickhouse>
  <users_config>${path}</users_config>
  <user_directories><users_xml><path>${path}</path></users_xml></user_directories>
</clickhouse>
`
}

function usersXml(reportColumns: ReportColumns): string {
  return `<clickhouse>
  <profiles><default/></profiles>
  <quotas><default/></quotas>
  <roles>
    ${roleXml('owner', ['GRANT ALL ON *.*'])}
    ${roleXml('report', reportRights(reportColumns))}
  </roles>
  <users>
    <default>
      <password/>
      <networks><ip>::/0</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      ${grantsXml(['GRANT owner', 'GRANT report'])}
    </default>
  </users>
</clickhouse>
`
}

function roleXml(role: EngineRole, grants: readonly string[]): string {
  return `<${role}>${grantsXml(grants)}</${role}>`
}

function grantsXml(grants: readonly string[]): string {
  return `<grants>${grants.map((grant) => `<query>${grant}</query>`).join('')}</grants>`
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
