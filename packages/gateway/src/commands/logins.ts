import { InvalidArgumentError } from 'commander'
import { isKnownZone, LIMITS, ROLES } from '@counterfoil/common'
import { IDS_EXPECTED, readIds } from '@counterfoil/protocol'
import type { Login, Store } from '@counterfoil/store'
import type { Config } from '../config/config.ts'
import {
  argument,
  command,
  CONFIG,
  flag,
  group,
  JSON_FLAG,
  option,
  requiredOption,
  textThat,
} from './command.ts'
import { printList } from './terminal.ts'
import { describeView, type View, warnOfMissing } from './warn-of-missing.ts'
import { requireLogin, withNewStore, withStore } from './with-store.ts'

const parseTimezone = textThat(isKnownZone, 'an IANA time zone such as Europe/Berlin')
const parseLogin = textThat(
  (text) => /^[!-~]+$/.test(text) && text.length <= LIMITS.loginLengthMax,
  `1 to ${LIMITS.loginLengthMax} visible ASCII characters without spaces`,
)

const ADD = command({
  name: 'add',
  summary: 'add a login',
  description:
    'Adds a login. A running gateway accepts it at once. The login needs a key before it can sign: see "keys add".',
  examples: [
    'logins add shop-1 --config gateway.yaml \\\n    --role merchant --sees 17,18',
    'logins add audit --config gateway.yaml --role operator',
  ],
  takes: {
    config: CONFIG,
    name: argument('<login>', 'new login, which requests name as oauth_consumer_key', parseLogin),
    role: requiredOption('--role <role>', 'role of the login', ROLES),
    sees: option(
      '--sees <ids>',
      'ids, separated by commas, of the merchants, resellers or managers (by the role) whose transactions the login ' +
        'sees. An operator sees everything and takes no ids; all other roles need ids.',
      parseIds,
    ),
    bodyHash: flag('--require-body-hash', 'refuse requests that do not sign oauth_body_hash'),
    timezone: option(
      '--timezone <zone>',
      'time zone of its reports, unless a request names one (default: timezone of the configuration)',
      parseTimezone,
    ),
  },
  run: async ({ config, name, role, sees = [], bodyHash = false, timezone }) => {
    const zone = timezone === undefined ? {} : { timezone }
    const login = { name, role, sees, bodyHashRequired: bodyHash, ...zone, createdAt: new Date() }
    checkView(login)
    await withNewStore(config, (store) => store.addLogin(login))
    await describe(`Added ${name}`, login, config)
    console.error(`Next: counterfoil-gateway keys add ${name} --config ${config.file}`)
  },
})

const CHANGE = command({
  name: 'change',
  summary: 'change a login',
  description:
    'Changes the role of a login, what it sees, its time zone, or whether it must sign oauth_body_hash. A running gateway applies ' +
    'the change to the next request. The keys stay.',
  examples: ['logins change shop-1 --config gateway.yaml --sees 17,19'],
  takes: {
    config: CONFIG,
    name: argument('<login>', 'login to change'),
    role: option('--role <role>', 'new role; needs --sees, but for an operator', ROLES),
    sees: option(
      '--sees <ids>',
      'new ids, separated by commas, that replace the old ones',
      parseIds,
    ),
    timezone: option('--timezone <zone>', 'new time zone of its reports', parseTimezone),
    bodyHash: flag('--require-body-hash', 'refuse requests that do not sign oauth_body_hash'),
    noBodyHash: flag('--no-require-body-hash', 'accept requests without oauth_body_hash'),
  },
  run: async ({ config, name, role, sees, timezone, bodyHash }) => {
    if ((role ?? sees ?? bodyHash ?? timezone) === undefined) {
      throw new InvalidArgumentError(
        'nothing to change. Name --role, --sees, --timezone or --require-body-hash',
      )
    }
    const login = await withStore(config, async (store) => {
      const old = await requireLogin(store, name)
      const zone = timezone ?? old.timezone
      const changed = {
        name,
        role: role ?? old.role,
        // The ids of one role mean nothing for another.
        sees: sees ?? (role === undefined ? old.sees : []),
        bodyHashRequired: bodyHash ?? old.bodyHashRequired,
        ...(zone !== undefined && { timezone: zone }),
      }
      checkView(changed)
      await store.changeLogin(changed)
      return changed
    })
    await describe(`Changed ${name}`, login, config)
  },
})

const REMOVE = command({
  name: 'remove',
  summary: 'remove a login',
  description:
    'Removes a login for ever: revokes its keys and ends its view sessions. A running gateway refuses its next ' +
    'request. The records of its runs stay, so its name cannot be used again.',
  examples: ['logins remove shop-1 --config gateway.yaml'],
  takes: { config: CONFIG, name: argument('<login>', 'login to remove') },
  run: async ({ config, name }) => {
    await withStore(config, (store) => store.removeLogin(name, new Date()))
    console.error(`Removed ${name}.`)
  },
})

const LIST = command({
  name: 'list',
  summary: 'list the logins',
  description: 'Lists the logins with their roles.',
  examples: ['logins list --config gateway.yaml'],
  takes: { config: CONFIG, json: JSON_FLAG },
  run: async ({ config, json }) => {
    printList(json, await withStore(config, readUsedLogins), {
      LOGIN: ({ login }) => login,
      ROLE: ({ role }) => role,
      SEES: describeView,
      'BODY HASH': ({ bodyHashRequired }) => (bodyHashRequired ? 'required' : '-'),
      'TIME ZONE': ({ timezone }) => timezone,
      ADDED: ({ createdAt }) => createdAt,
      'LAST USED': ({ lastUsedAt }) => lastUsedAt,
    })
  },
})

export const LOGINS = group({
  name: 'logins',
  summary: 'add, change, remove and list logins',
  description:
    'Adds, changes, removes and lists logins. A login may request reports, and sees the transactions of some merchants, or all.',
  below: [ADD, CHANGE, REMOVE, LIST],
})

/** Reads the logins, and when the newest use of their keys was. */
async function readUsedLogins(store: Store) {
  const keys = Map.groupBy(await store.listKeys(), ({ login }) => login)
  return (await store.listLogins()).map(({ name, ...others }) => {
    const times = (keys.get(name) ?? []).flatMap(({ lastUsedAt }) => lastUsedAt?.getTime() ?? [])
    const lastUsedAt = times.length > 0 ? new Date(Math.max(...times)) : undefined
    return { login: name, ...others, lastUsedAt }
  })
}

/** Refuses a login that would see nothing, and an operator with ids. */
function checkView({ role, sees }: View): void {
  if (role === 'operator' && sees.length > 0) {
    throw new InvalidArgumentError('an operator sees everything. Leave out --sees')
  }
  if (role !== 'operator' && sees.length === 0) {
    throw new InvalidArgumentError(`missing --sees with the ids of the login's ${role}s`)
  }
}

/** Prints what a login sees, and what the ledger lacks for it. */
async function describe(
  done: string,
  login: View & Pick<Login, 'timezone'>,
  config: Config,
): Promise<void> {
  const zone = login.timezone === undefined ? '' : ` Its time zone is ${login.timezone}.`
  console.error(`${done}. The login sees ${describeView(login)}.${zone}`)
  for (const warning of await warnOfMissing(config, login)) console.error(`Warning: ${warning}`)
}

function parseIds(text: string): readonly string[] {
  const ids = readIds(text)
  if (ids) return ids
  throw new InvalidArgumentError(IDS_EXPECTED)
}
