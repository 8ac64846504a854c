import { type Command, InvalidArgumentError, Option } from 'commander'
import { LIMITS } from '../limits.ts'
import { type Consumer, ROLES, type Role } from '../store/store.ts'
import { table } from './table.ts'
import { withStore } from './with-store.ts'

const ID_MAX = 2 ** 31 - 1

/** Adds `merchants add` and `merchants list`: who may ask for reports, and what each sees. */
export function addMerchantCommands(program: Command): void {
  const merchants = program
    .command('merchants')
    .description('who may ask for reports, and what each sees')
  addAdd(merchants)
  addList(merchants)
}

function addAdd(merchants: Command): void {
  merchants
    .command('add')
    .description('add a login')
    .argument('<login>', 'its oauth_consumer_key', parseLogin)
    .requiredOption('--config <file>', 'the configuration')
    .addOption(
      new Option('--role <role>', 'what the login is').choices(ROLES).makeOptionMandatory(),
    )
    .option(
      '--sees <ids>',
      'ids of merchants, resellers or managers, as the role says, with commas between them; an operator sees everything',
      parseIds,
    )
    .option('--require-body-hash', 'refuse requests that do not sign oauth_body_hash', false)
    .addHelpText(
      'after',
      '\nExample: counterfoil-gateway merchants add shop-1 --config gateway.yaml --role merchant --sees 17,18',
    )
    .action(
      async (
        login: string,
        options: { config: string; role: Role; sees?: number[]; requireBodyHash: boolean },
        command: Command,
      ) => {
        const { role, sees = [] } = options
        if (role === 'operator' && sees.length > 0) {
          command.error('error: an operator sees everything: leave out --sees')
        }
        if (role !== 'operator' && sees.length === 0) {
          command.error(`error: expected --sees with the ids of the login's ${role}s`)
        }
        const consumer: Consumer = {
          login,
          role,
          sees,
          bodyHashRequired: options.requireBodyHash,
          createdAt: new Date(),
        }
        await withStore(options.config, (store) => store.addConsumer(consumer))
        console.error(`Added ${login}, who sees ${describeView(consumer)}.`)
        console.error(`Next: counterfoil-gateway keys add ${login} --config ${options.config}`)
      },
    )
}

function addList(merchants: Command): void {
  merchants
    .command('list')
    .description('list the logins')
    .requiredOption('--config <file>', 'the configuration')
    .option('--json', 'as JSON', false)
    .action(async (options: { config: string; json: boolean }) => {
      const consumers = await withStore(options.config, (store) => store.listConsumers())
      if (options.json) {
        console.log(JSON.stringify(consumers, undefined, 2))
        return
      }
      const rows = consumers.map((consumer) => [
        consumer.login,
        consumer.role,
        describeView(consumer),
        consumer.bodyHashRequired ? 'required' : '-',
        consumer.createdAt.toISOString(),
      ])
      console.log(table(['LOGIN', 'ROLE', 'SEES', 'BODY HASH', 'ADDED'], rows))
    })
}

function describeView({ role, sees }: Consumer): string {
  if (role === 'operator') return 'everything'
  return `${role}${sees.length > 1 ? 's' : ''} ${sees.join(', ')}`
}

function parseLogin(text: string): string {
  if (/^[!-~]+$/.test(text) && text.length <= LIMITS.loginLengthMax) return text
  throw new InvalidArgumentError(
    `Expected 1 to ${LIMITS.loginLengthMax} visible ASCII characters without spaces.`,
  )
}

function parseIds(text: string): number[] {
  const ids = text.split(',').map((id) => (/^\d+$/.test(id.trim()) ? Number(id) : 0))
  if (ids.every((id) => id >= 1 && id <= ID_MAX)) return [...new Set(ids)]
  throw new InvalidArgumentError(`Expected whole numbers from 1 to ${ID_MAX}, such as 17,18.`)
}
