import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The rights of a query: `owner` may do everything, `report` may read some columns. */
export type EngineRole = 'owner' | 'report'

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
 * Checks the rights of the gateway's user on a server. A query of a report has one role only. But rights that the user
 * has without a role would apply to it too, so there must be none.
 *
 * @param readGrants runs `SHOW GRANTS` and returns its lines
 * @throws with the statement that corrects the rights
 */
export async function checkServer(
  readGrants: (sql: string) => Promise<readonly string[]>,
  reportColumns: ReportColumns,
): Promise<void> {
  const own = (await readGrants('SHOW GRANTS')).find((line) => line.includes(' ON '))
  if (own !== undefined) {
    throw new Error(`The user has rights without a role. Give them to a role instead: ${own}`)
  }
  const expected = reportRights(reportColumns).map((right) => `${right} TO ${REPORT_ROLE}`)
  const granted = await readGrants(`SHOW GRANTS FOR ${REPORT_ROLE}`)
  const missing = expected.find((line) => !granted.includes(line))
  if (missing !== undefined) throw new Error(`The role for reports lacks rights. Run: ${missing}`)
  const excess = granted.find((line) => !expected.includes(line))
  if (excess !== undefined) {
    throw new Error(`The role for reports has a right too many. Revoke it: ${excess}`)
  }
}

/** The user of the gateway on its own server. */
export const OWN_USER = 'counterfoil'

/** The server's roles. A user with both has all rights, unless a query names one of them. */
const OWNER_ROLE = 'counterfoil_owner'

/** The server's role for reports. It may read the ledger's columns and names, and nothing else. */
export const REPORT_ROLE = 'counterfoil_report'

/** What the files of the gateway's own server say. */
interface OwnAccess {
  readonly port: number
  readonly password: string
  readonly memoryMax: number
  readonly reportColumns: ReportColumns
}

/**
 * Writes the configuration of the gateway's own server, which only this user may read.
 *
 * @param directory the folder of the data
 * @returns the path of the configuration
 */
export function writeAccess(directory: string, access: OwnAccess): string {
  const folder = resolve(directory, 'access')
  const [users, config] = [join(folder, 'users.xml'), join(folder, 'config.xml')]
  writeFileSync(users, usersXml(access), { mode: 0o600 })
  writeFileSync(config, configXml(resolve(directory), users, access), { mode: 0o600 })
  return config
}

function configXml(directory: string, usersFile: string, { port, memoryMax }: OwnAccess): string {
  const users = escapeXml(usersFile)
  return `<clickhouse>
  <path>${escapeXml(directory)}</path>
  <listen_host>127.0.0.1</listen_host>
  <http_port>${port}</http_port>
  <max_server_memory_usage>${memoryMax}</max_server_memory_usage>
  <users_config>${users}</users_config>
  <user_directories><users_xml><path>${users}</path></users_xml></user_directories>
</clickhouse>
`
}

// The program of the server is a session of `default`, without a password. It is the only one, so that nobody can log
// in as `default` over HTTP.
function usersXml({ password, reportColumns }: OwnAccess): string {
  return `<clickhouse>
  <profiles>
    <default/>
    <starter><max_sessions_for_user>1</max_sessions_for_user></starter>
  </profiles>
  <quotas><default/></quotas>
  <roles>
    <${OWNER_ROLE}>${grantsXml(['GRANT ALL ON *.*'])}</${OWNER_ROLE}>
    <${REPORT_ROLE}>${grantsXml(reportRights(reportColumns))}</${REPORT_ROLE}>
  </roles>
  <users>
    <default>
      <password/>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>starter</profile>
      <quota>default</quota>
      ${grantsXml(['GRANT SYSTEM LISTEN ON *.*', 'GRANT SELECT ON system.numbers', 'GRANT SELECT ON default.*'])}
    </default>
    <${OWN_USER}>
      <password_sha256_hex>${createHash('sha256').update(password).digest('hex')}</password_sha256_hex>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      ${grantsXml([`GRANT ${OWNER_ROLE}`, `GRANT ${REPORT_ROLE}`])}
    </${OWN_USER}>
  </users>
</clickhouse>
`
}

function grantsXml(grants: readonly string[]): string {
  return `<grants>${grants.map((grant) => `<query>${grant}</query>`).join('')}</grants>`
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
