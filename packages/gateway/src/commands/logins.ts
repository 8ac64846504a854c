import { type Command, InvalidArgumentError, Option } from 'commander'
import { loadConfig } from '../config/config.ts'
import { LIMITS } from '../limits.ts'
import { type Login, ROLES, type Role } from '../store/store.ts'
import { isKnownZone } from '../zone-clock.ts'
import { addConfigOption } from './config-option.ts'
import { table } from './table.ts'
import { warnOfMissing } from './warn-of-missing.ts'
import { withNewStore, withStore } from './with-store.ts'

const ID_MAX = 2 ** 31 - 1

/** Adds `logins add` and `logins list`, and the deprecated `merchants`, which does the same. */
export function addLoginCommands(program: Command): void {
  addSubcommands(program.command('logins'))
  addSubcommands(program.command('merchants', { hidden: true })).hook('preAction', (_, called) => {
    console.error(`Warning: "merchants" is deprecated. Write "logins ${called.name()}" instead.`)
  })
}

function addSubcommands(logins: Command): Command {
  logins
    .summary('add and list logins')
    .description(
      'Adds and lists logins. A login may request reports, and sees the transactions of some merchants, or all.',
    )
    .addHelpText(
      'after',
      `
Examples:
  counterfoil-gateway logins add shop-1 --config gateway.yaml \\
    --role merchant --sees 17,18
  counterfoil-gateway logins list --config gateway.yaml`,
    )
  addAdd(logins)
  addList(logins)
  return logins
}

interface AddOptions {
  readonly config: string
  readonly role: Role
  readonly sees?: readonly number[]
  readonly requireBodyHash?: true
  readonly timezone?: string
}

function addAdd(logins: Command): void {
  const add = logins
    .command('add')
    .summary('add a login')
    .description(
      'Adds a login. A running gateway accepts it at once. The login needs a key before it can sign: see "keys add".',
    )
    .argument('<login>', 'new login, which requests name as oauth_consumer_key', parseLogin)
  addConfigOption(add)
    .addOption(
      new Option('--role <role>', 'role of the login (required)')
        .choices(ROLES)
        .makeOptionMandatory(),
    )
    .option(
      '--sees <ids>',
      'ids, separated by commas, of the merchants, resellers or managers (by the role) whose transactions the login ' +
        'sees. An operator sees everything and takes no ids; all other roles need ids.',
      parseIds,
    )
    .option('--require-body-hash', 'refuse requests that do not sign oauth_body_hash')
    .option(
      '--timezone <zone>',
      'time zone of its reports, unless a request names one (default: timezone of the configuration)',
      parseTimezone,
    )
    .addHelpText(
      'after',
      `
Examples:
  counterfoil-gateway logins add shop-1 --config gateway.yaml \\
    --role merchant --sees 17,18
  counterfoil-gateway logins add audit --config gateway.yaml --role operator`,
    )
    .action(addLogin)
}

async function addLogin(name: string, options: AddOptions, command: Command): Promise<void> {
  const { role, sees = [], timezone } = options
  if (role === 'operator' && sees.length > 0) {
    command.error('error: an operator sees everything. Leave out --sees')
  }
  if (role !== 'operator' && sees.length === 0) {
    command.error(`error: missing --sees with the ids of the login's ${role}s`)
  }
  const login: Login = {
    name,
    role,
    sees,
    bodyHashRequired: options.requireBodyHash ?? false,
    ...(timezone !== undefined && { timezone }),
    createdAt: new Date(),
  }
  await withNewStore(options.config, (store) => store.addLogin(login))
  console.error(`Added ${name}. The login sees ${describeView(login)}.`)
  for (const warning of await warnOfMissing(loadConfig(options.config), login)) {
    console.error(`Warning: ${warning}`)
  }
  console.error(`Next: counterfoil-gateway keys add ${name} --config ${options.config}`)
}

function addList(group: Command): void {
  const list = group
    .command('list')
    .summary('list the logins')
    .description('Lists the logins with their roles.')
  addConfigOption(list)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  counterfoil-gateway logins list --config gateway.yaml')
    .action(async (options: { config: string; json?: true }) => {
      const logins = await withStore(options.config, (store) => store.listLogins())
      if (options.json) {
        const printed = logins.map(({ name, ...others }) => ({ login: name, ...others }))
        console.log(JSON.stringify(printed, undefined, 2))
        return
      }
      const rows = logins.map((login) => [
        login.name,
        login.role,
        describeView(login),
        login.bodyHashRequired ? 'required' : '-',
        login.timezone ?? '-',
        login.createdAt.toISOString(),
      ])
      console.log(table(['LOGIN', 'ROLE', 'SEES', 'BODY HASH', 'TIME ZONE', 'ADDED'], rows))
    })
}

function describeView({ role, sees }: Login): string {
  if (role === 'operator') return 'everything'
  return `${role}${sees.length > 1 ? 's' : ''} ${sees.join(', ')}`
}

function parseLogin(text: string): string {
  if (/^[!-~]+$/.test(text) && text.length <= LIMITS.loginLengthMax) return text
  throw new InvalidArgumentError(
    `Expected 1 to ${LIMITS.loginLengthMax} visible ASCII characters without spaces.`,
  )
}

function parseTimezone(text: string): string {
  if (isKnownZone(text)) return text
  throw new InvalidArgumentError('Expected an IANA time zone such as Europe/Berlin.')
}

function parseIds(text: string): number[] {
  const ids = text.split(',').map((id) => (/^\d+$/.test(id.trim()) ? Number(id) : 0))
  if (ids.every((id) => id >= 1 && id <= ID_MAX)) return [...new Set(ids)]
  throw new InvalidArgumentError(`Expected whole numbers from 1 to ${ID_MAX}, such as 17,18.`)
}
