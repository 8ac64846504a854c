import { mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** The rights of a query: `owner` may do everything, `report` may read some tables. */
export const ENGINE_ROLES = ['owner', 'report'] as const

/** See {@link ENGINE_ROLES}. */
export type EngineRole = (typeof ENGINE_ROLES)[number]

/**
 * Writes the rights of the roles into a folder. The role `report` may read the given tables and look names up. It may
 * change nothing, and may not use table functions that open files or addresses.
 *
 * @returns the engine's argument that applies the rights
 */
export function writeAccess(folder: string, reportTables: readonly string[]): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const users = resolve(folder, 'users.xml')
  const config = resolve(folder, 'config.xml')
  writeFileSync(users, usersXml(reportTables), { mode: 0o600 })
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

function usersXml(reportTables: readonly string[]): string {
  const grants = [
    ...reportTables.map((table) => `GRANT SELECT ON default.${table}`),
    // The ledger's name columns read dictionaries.
    'GRANT dictGet ON default.*',
  ]
  return `<clickhouse>
  <profiles><default/></profiles>
  <quotas><default/></quotas>
  <roles>
    ${roleXml('owner', ['GRANT ALL ON *.*'])}
    ${roleXml('report', grants)}
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
