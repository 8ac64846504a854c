import { type Command, InvalidArgumentError, Option } from 'commander'
import { formatIds, IDS_EXPECTED, readIds } from '@counterfoil/protocol'
import { loadConfig } from '../config/config.ts'
import type { Login } from '@counterfoil/store'
import { isKnownZone, type Role, ROLES } from '@counterfoil/common'
import { warnOfMissing } from './warn-of-missing.ts'
import { withStore } from './with-store.ts'
import { addCommand } from './config-option.ts'

interface ChangeOptions {
  readonly config: string
  readonly role?: Role
  readonly sees?: readonly string[]
  readonly requireBodyHash?: boolean
  readonly timezone?: string
}

/** Adds `logins change`. */
export function addChange(logins: Command): void {
  addCommand(logins, 'change', {
    summary: 'change a login',
    description:
      'Changes the role of a login, what it sees, its time zone, or whether it must sign oauth_body_hash. A running gateway applies ' +
      'the change to the next request. The keys stay.',
    examples: ['logins change shop-1 --config gateway.yaml --sees 17,19'],
  })
    .argument('<login>', 'login to change')
    .addOption(
      new Option('--role <role>', 'new role; needs --sees, but for an operator').choices(ROLES),
    )
    .option('--sees <ids>', 'new ids, separated by commas, that replace the old ones', parseIds)
    .option('--timezone <zone>', 'new time zone of its reports', parseTimezone)
    .option('--require-body-hash', 'refuse requests that do not sign oauth_body_hash')
    .option('--no-require-body-hash', 'accept requests without oauth_body_hash')
    .action(changeLogin)
}

async function changeLogin(name: string, options: ChangeOptions, command: Command): Promise<void> {
  const { role, sees, requireBodyHash, timezone, config } = options
  if ((role ?? sees ?? requireBodyHash ?? timezone) === undefined) {
    command.error(
      'error: nothing to change. Name --role, --sees, --timezone or --require-body-hash',
    )
  }
  const login = await withStore(config, async (store) => {
    const old = (await store.listLogins()).find((one) => one.name === name)
    const changed = {
      name,
      role: role ?? old?.role ?? 'operator',
      // The ids of one role mean nothing for another.
      sees: sees ?? (role === undefined ? (old?.sees ?? []) : []),
      bodyHashRequired: requireBodyHash ?? old?.bodyHashRequired ?? false,
    }
    const zone = timezone ?? old?.timezone
    if (old) checkView(changed, command)
    // The store refuses an unknown login.
    const complete = { ...changed, ...(zone !== undefined && { timezone: zone }) }
    await store.changeLogin(complete)
    return { ...complete, createdAt: old?.createdAt ?? new Date() }
  })
  console.error(`Changed ${name}. The login sees ${describeView(login)}.${describeZone(login)}`)
  await printWarnings(config, login)
}

/** Ends the command with an error if a login would see nothing, or an operator has ids. */
export function checkView(
  { role, sees = [] }: { readonly role: Role; readonly sees?: readonly string[] },
  command: Command,
): void {
  if (role === 'operator' && sees.length > 0) {
    command.error('error: an operator sees everything. Leave out --sees')
  }
  if (role !== 'operator' && sees.length === 0) {
    command.error(`error: missing --sees with the ids of the login's ${role}s`)
  }
}

/** Warns of what the ledger lacks for a login. */
export async function printWarnings(configFile: string, login: Login): Promise<void> {
  for (const warning of await warnOfMissing(loadConfig(configFile), login)) {
    console.error(`Warning: ${warning}`)
  }
}

/** Describes what a login sees. */
export function describeView({ role, sees }: Pick<Login, 'role' | 'sees'>): string {
  if (role === 'operator') return 'everything'
  return `${role}${sees.length > 1 ? 's' : ''} ${formatIds(sees)}`
}

/** A sentence about the time zone of a login, if the login has one. */
export function describeZone({ timezone }: Pick<Login, 'timezone'>): string {
  return timezone === undefined ? '' : ` Its time zone is ${timezone}.`
}

/** Parses the time zone of an option. */
export function parseTimezone(text: string): string {
  if (isKnownZone(text)) return text
  throw new InvalidArgumentError('Expected an IANA time zone such as Europe/Berlin.')
}

/** Parses the ids of an option. */
export function parseIds(text: string): string[] {
  const ids = readIds(text)
  if (ids) return ids
  throw new InvalidArgumentError(IDS_EXPECTED)
}
