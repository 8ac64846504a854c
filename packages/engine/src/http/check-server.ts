import { REPORT_ROLE, type ReportColumns, reportRights } from '../engine/access.ts'

/**
 * Checks the rights of the gateway's user on a server. A query of a report has one role only. But rights that the user
 * has without a role would apply to it too, so there must be none.
 *
 * @param readGrants runs `SHOW GRANTS` and returns its lines
 * @throws with the statement that corrects the rights
 */
export async function checkServer(
  readGrants: (sql: string) => Promise<readonly string[]>,
  { reportColumns }: { readonly reportColumns: ReportColumns },
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
