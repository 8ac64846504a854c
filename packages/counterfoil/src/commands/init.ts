import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CounterfoilClient, readReportUrl } from '@counterfoil/client'
import { Option } from 'commander'
import { placeProfile } from '../connection/profile.ts'
import { openPrompt, type Prompt } from '../connection/prompt.ts'
import { connectToGateway, isEncrypted } from '../connection/read-connection.ts'
import {
  type ConnectionOptions,
  GATEWAY_OPTIONS,
  hasKey,
  mergeSettings,
  type Settings,
  settingsOfEnvironment,
  settingsOfOptions,
} from '../connection/settings.ts'
import {
  type CommandDescription,
  type Dependencies,
  EXIT_CODE_HELP,
  EXIT_CODES,
  UsageError,
} from '../command.ts'
import { endWithError } from '../print/end-with-error.ts'
import { readText, writePrivately } from '../files.ts'

interface InitOptions extends ConnectionOptions {
  readonly overwrite?: boolean
  readonly try: boolean
}

export const INIT: CommandDescription<InitOptions> = {
  name: 'init',
  summary: 'write a profile: the gateway, your login and your key',
  description:
    'Asks for the report URL, your login and your key, tries them, and writes a profile.',
  options: [
    new Option('--overwrite', 'replace an existing profile'),
    new Option('--no-try', 'write the profile without a request to the gateway'),
    ...GATEWAY_OPTIONS,
  ],
  help: `
Examples:
  counterfoil init
  counterfoil init --profile sandbox --endpoint https://... --login shop \\
    --control-key-file key.txt

The command asks for what the options and variables leave out. The answers may
also come from a pipe, each on its own line: the report URL, the login, the key.
Only you may read the profile.
${EXIT_CODE_HELP}`,
  async run(options, dependencies) {
    const { env, stderr } = dependencies
    const { name, file, isNamed } = placeProfile(options.profile, env)
    if (!options.overwrite && existsSync(file)) {
      throw new UsageError(`${file} already exists. To replace it, add --overwrite`)
    }
    const known = mergeSettings([settingsOfOptions(options), settingsOfEnvironment(env)])
    const asked = await askForSettings(known, dependencies)
    const tried = options.try ? await tryConnection(asked, dependencies) : asked
    if (typeof tried === 'number') return tried
    await writePrivately(file, tried)
    const suffix = isNamed ? ` --profile ${name}` : ''
    stderr.write(`Wrote ${file}. Only you may read it.\nNext: counterfoil reports${suffix}\n`)
    return EXIT_CODES.done
  },
}

/** Asks for the settings that are not known. The files become absolute, so that the profile holds in every folder. */
async function askForSettings(known: Settings, dependencies: Dependencies): Promise<Settings> {
  const prompt = openPrompt(dependencies)
  try {
    const endpoint = known.endpoint ?? (await prompt.ask('Report URL (from the operator): '))
    const login = known.login ?? (await prompt.ask('Login: '))
    const key = hasKey(known) ? known : await askForKey(prompt, dependencies)
    const settings = withAbsoluteFiles({ endpoint, login, ...known, ...key })
    const { privateKeyFile, passphrase } = settings
    if (privateKeyFile === undefined || passphrase !== undefined) return settings
    if (!isEncrypted(await readText(privateKeyFile, '--private-key'))) return settings
    return { ...settings, passphrase: await prompt.ask('Passphrase of the private key: ', true) }
  } finally {
    prompt.close()
  }
}

async function askForKey(prompt: Prompt, { stderr }: Dependencies): Promise<Settings> {
  const answer = await prompt.ask('Control key, or the file of a key (hidden): ', true)
  const text = await readFile(answer, 'utf8').catch(() => undefined)
  if (text === undefined) {
    if (/[/\\]|\.\w+$/.test(answer)) throw new UsageError('cannot read the file of the key')
    stderr.write('Your answer is the control key itself.\n')
    return { controlKey: answer }
  }
  const isPem = text.includes('-----BEGIN ')
  stderr.write(`The file holds ${isPem ? 'a private key' : 'a control key'}.\n`)
  return isPem ? { privateKeyFile: answer } : { controlKeyFile: answer }
}

function withAbsoluteFiles(settings: Settings): Settings {
  const files = Object.entries(settings).filter(([name]) => name.endsWith('File'))
  return { ...settings, ...Object.fromEntries(files.map(([name, file]) => [name, resolve(file)])) }
}

/** Tries the login. Returns the settings with the gateway's report URL, or the exit code of a failure. */
async function tryConnection(
  settings: Settings,
  dependencies: Dependencies,
): Promise<Settings | number> {
  const { stderr, signal } = dependencies
  const connection = await connectToGateway(settings, dependencies)
  const { ca } = connection
  let { endpoint } = connection
  try {
    // Before anything is sent, the client refuses a URL that is not safe.
    let client = new CounterfoilClient(connection)
    const given = new URL(endpoint)
    const found = await readReportUrl(given, { ca, signal })
    // The key is for the host that the person named.
    if (found && found.origin === given.origin && found.href !== endpoint) {
      endpoint = found.href
      stderr.write(`The report URL of this gateway is ${endpoint}.\n`)
      client = new CounterfoilClient({ ...connection, endpoint })
    }
    const { reports } = await client.catalogue({ signal })
    stderr.write(
      `The gateway accepts ${settings.login}, which may ask for ${reports.length} reports.\n`,
    )
    return { ...settings, endpoint }
  } catch (error) {
    const state = 'No profile was written. To write one without a request, add --no-try.'
    return await endWithError(error, { endpoint, ca, state }, dependencies)
  }
}
