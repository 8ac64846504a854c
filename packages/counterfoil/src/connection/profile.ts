import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { UsageError } from '../usage-error.ts'
import { SETTING_TYPES, type Settings } from './settings.ts'

/** A name, and the file where the profile of that name is or will be. */
export interface ProfilePlace {
  readonly name: string
  readonly file: string
  /** Whether the command line or the environment names the profile. */
  readonly isNamed: boolean
}

const DEFAULT_NAME = 'default'
const VARIABLE = 'COUNTERFOIL_PROFILE'

/**
 * Finds the place of a profile.
 *
 * @param option the value of `--profile`
 * @throws {UsageError} if the name could be a path
 */
export function placeProfile(option: string | undefined, env: NodeJS.ProcessEnv): ProfilePlace {
  const named = option ?? (env[VARIABLE] || undefined)
  const name = named ?? DEFAULT_NAME
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/i.test(name)) {
    throw new UsageError(`--profile: expected letters, digits, - and _, got ${name}`)
  }
  const file = join(profileFolder(env, process.platform), `${name}.json`)
  return { name, file, isNamed: named !== undefined }
}

/** Returns the folder of profiles: in `%APPDATA%` on Windows, elsewhere in `$XDG_CONFIG_HOME` or `~/.config`. */
export function profileFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const home = env['HOME'] || homedir()
  if (platform === 'win32') {
    return join(env['APPDATA'] || join(home, 'AppData', 'Roaming'), 'counterfoil')
  }
  const configured = env['XDG_CONFIG_HOME'] ?? ''
  // The XDG specification says to ignore relative paths.
  return join(isAbsolute(configured) ? configured : join(home, '.config'), 'counterfoil')
}

/**
 * Reads a profile. A profile that nobody named may be absent.
 *
 * @throws {UsageError} if a named profile is absent, or if the profile is malformed or readable by others
 */
export async function readProfile(place: ProfilePlace): Promise<Settings> {
  const text = await readPrivately(place)
  if (text === undefined) return {}
  const fault = (expected: string) => {
    const advice = `Correct it, or run counterfoil init --overwrite${optionOf(place)}`
    return new UsageError(`the profile ${place.file} is malformed: ${expected}. ${advice}`)
  }
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    throw fault('expected JSON')
  }
  if (typeof content !== 'object' || content === null) throw fault('expected a JSON object')
  for (const [name, value] of Object.entries(content)) {
    const type = Object.hasOwn(SETTING_TYPES, name) ? SETTING_TYPES[name] : undefined
    if (type === undefined) throw fault(`unknown member ${name}`)
    if (typeof value !== type) throw fault(`expected a ${type} for ${name}`)
  }
  return content
}

/**
 * Writes a file beside the profiles, for its owner alone. The file appears complete or not at all.
 *
 * @param content the value of its JSON
 */
export async function writePrivately(file: string, content: object): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${randomUUID()}.part`
  const text = `${JSON.stringify(content, undefined, 2)}\n`
  await writeFile(temporary, text, { mode: 0o600, flag: 'wx' })
  await rename(temporary, file)
}

async function readPrivately(place: ProfilePlace): Promise<string | undefined> {
  const { file, isNamed } = place
  const handle = await open(file).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') {
      throw new UsageError(`cannot read the profile ${file}: ${cause.message}`, { cause })
    }
    return undefined
  })
  if (!handle) {
    if (isNamed) throw await absent(place)
    return undefined
  }
  try {
    // Windows has no such rights: the folder belongs to the user.
    const isOpen = process.platform !== 'win32' && ((await handle.stat()).mode & 0o077) !== 0
    if (isOpen) {
      throw new UsageError(`others may read your key in the profile. Run: chmod 600 ${file}`)
    }
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

async function absent(place: ProfilePlace): Promise<UsageError> {
  const files = await readdir(dirname(place.file)).catch(() => [])
  const names = files.flatMap((file) => /^([\w-]+)\.json$/.exec(file)?.[1] ?? [])
  const others = names.length === 0 ? '' : `; there are ${names.toSorted().join(', ')}`
  const advice = `Run: counterfoil init${optionOf(place)}`
  return new UsageError(`there is no profile ${place.name}${others}. ${advice}`)
}

function optionOf({ name }: ProfilePlace): string {
  return name === DEFAULT_NAME ? '' : ` --profile ${name}`
}
