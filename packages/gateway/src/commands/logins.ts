import { type Command, InvalidArgumentError, Option } from 'commander'
import { LIMITS, type Role, ROLES } from '@counterfoil/common'
import type { Login, Store } from '@counterfoil/store'
import {
  addChange,
  checkView,
  describeView,
  describeZone,
  parseIds,
  parseTimezone,
  printWarnings,
} from './change-login.ts'
import { addCommand, addGroup } from './config-option.ts'
import { table } from './table.ts'
import { withNewStore, withStore } from './with-store.ts'

/** Adds `logins add`, `logins change`, `logins remove` and `logins list`. */
export function addLoginCommands(program: Command): void {
  const logins = addGroup(program, 'logins', {
    summary: 'add, change, remove and list logins',
    description:
      'Adds, changes, removes and lists logins. A login may request reports, and sees the transactions of some merchants, or all.',
    examples: [
      'logins add shop-1 --config gateway.yaml \\\n    --role merchant --sees 17,18',
      'logins list --config gateway.yaml',
    ],
  })
  addAdd(logins)
  addChange(logins)
  addRemove(logins)
  addList(logins)
}

interface AddOptions {
  readonly config: string
  readonly role: Role
  readonly sees?: readonly string[]
  readonly requireBodyHash?: true
  readonly timezone?: string
}

function addAdd(logins: Command): void {
  addCommand(logins, 'add', {
    summary: 'add a login',
    description:
      'Adds a login. A running gateway accepts it at once. The login needs a key before it can sign: see "keys add".',
    examples: [
      'logins add shop-1 --config gateway.yaml \\\n    --role merchant --sees 17,18',
      'logins add audit --config gateway.yaml --role operator',
    ],
  })
    .argument('<login>', 'new login, which requests name as oauth_consumer_key', parseLogin)
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
    .action(addLogin)
}

async function addLogin(name: string, options: AddOptions, command: Command): Promise<void> {
  const { role, sees = [], timezone } = options
  checkView(options, command)
  const login: Login = {
    name,
    role,
    sees,
    bodyHashRequired: options.requireBodyHash ?? false,
    ...(timezone !== undefined && { timezone }),
    createdAt: new Date(),
  }
  await withNewStore(options.config, (store) => store.addLogin(login))
  console.error(`Added ${name}. The login sees ${describeView(login)}.${describeZone(login)}`)
  await printWarnings(options.config, login)
  console.error(`Next: counterfoil-gateway keys add ${name} --config ${options.config}`)
}

function addRemove(logins: Command): void {
  addCommand(logins, 'remove', {
    summary: 'remove a login',
    description:
      'Removes a login for ever: revokes its keys and ends its view sessions. A running gateway refuses its next ' +
      'request. The records of its runs stay, so its name cannot be used again.',
    examples: ['logins remove shop-1 --config gateway.yaml'],
  })
    .argument('<login>', 'login to remove')
    .action(async (name: string, options: { config: string }) => {
      await withStore(options.config, (store) => store.removeLogin(name, new Date()))
      console.error(`Removed ${name}.`)
    })
}

function addList(group: Command): void {
  addCommand(group, 'list', {
    summary: 'list the logins',
    description: 'Lists the logins with their roles.',
    examples: ['logins list --config gateway.yaml'],
  })
    .option('--json', 'print JSON')
    .action(async (options: { config: string; json?: true }) => {
      const logins = await withStore(options.config, readUsedLogins)
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
        login.lastUsedAt ?? '-',
      ])
      const titles = ['LOGIN', 'ROLE', 'SEES', 'BODY HASH', 'TIME ZONE', 'ADDED', 'LAST USED']
      console.log(table(titles, rows))
    })
}

/** Reads the logins, and when the newest use of their keys was. */
async function readUsedLogins(store: Store) {
  const keys = Map.groupBy(await store.listKeys(), ({ login }) => login)
  return (await store.listLogins()).map((login) => {
    const times = (keys.get(login.name) ?? []).flatMap(({ lastUsedAt }) => lastUsedAt ?? [])
    return {
      ...login,
      lastUsedAt: times
        .map((time) => time.toISOString())
        .toSorted()
        .at(-1),
    }
  })
}

function parseLogin(text: string): string {
  if (/^[!-~]+$/.test(text) && text.length <= LIMITS.loginLengthMax) return text
  throw new InvalidArgumentError(
    `Expected 1 to ${LIMITS.loginLengthMax} visible ASCII characters without spaces.`,
  )
}
