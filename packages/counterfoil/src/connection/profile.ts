import { readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { SETTING_TYPES, type Settings } from './settings.ts'
import { UsageError } from '../command.ts'

export type ProfilePlace = ReturnType<typeof placeProfile>

/** Finds where the profile is that `--profile` or the environment names. Throws `UsageError` if it could be a path. */
export function placeProfile(option: string | undefined, env: NodeJS.ProcessEnv) {
  const named = option ?? (env['COUNTERFOIL_PROFILE'] || undefined)
  const name = named ?? 'default'
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

/** Reads a profile. Only one that nobody named may be absent. Throws `UsageError`, also if others may read it. */
export async function readProfile({ name, file, isNamed }: ProfilePlace): Promise<Settings> {
  try {
    // Windows has no such rights: the folder belongs to the user.
    if (process.platform !== 'win32' && ((await stat(file)).mode & 0o077) !== 0) {
      throw new UsageError(`others may read your key in the profile. Run: chmod 600 ${file}`)
    }
    return checkSettings(JSON.parse(await readFile(file, 'utf8')))
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause
    const isAbsent = 'code' in cause && cause.code === 'ENOENT'
    if (isAbsent && !isNamed) return {}
    const advice = `To write it, run: counterfoil init --overwrite --profile ${name}`
    if (isAbsent) throw new UsageError(`there is no profile ${name}. ${advice}`, { cause })
    if (cause instanceof UsageError) throw cause
    // An error of JSON may show the key.
    const why = cause instanceof TypeError ? cause.message : 'it is not readable JSON'
    throw new UsageError(`the profile ${file} is malformed: ${why}. ${advice}`, { cause })
  }
}

function checkSettings(content: unknown): Settings {
  if (typeof content !== 'object' || content === null) throw new TypeError('expected an object')
  for (const [name, value] of Object.entries(content)) {
    const type = Object.hasOwn(SETTING_TYPES, name) ? SETTING_TYPES[name] : undefined
    if (type === undefined) throw new TypeError(`unknown member ${name}`)
    if (typeof value !== type) throw new TypeError(`expected a ${type} for ${name}`)
  }
  return content
}
