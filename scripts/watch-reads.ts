// Runs a command, and fails if the command, or a process that it starts, opens a file that a new machine lacks:
//
//   node scripts/watch-reads.ts COMMAND [ARGUMENT ...]
//
// `.ci/run` calls it in a mount namespace, where the clone and the temporary folders are mounts of their own. Linux
// (fanotify) reports each file that is opened on the mount of the root folder. Node has no function for that, so the
// two system calls go through ffi-rs. They need root.

import { spawn } from 'node:child_process'
import { closeSync, readlinkSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { DataType, load, open } from 'ffi-rs'

/** The folders of the operating system, of Node and of npm. Every machine has them. */
const USUAL = [
  ...'/bin /sbin /lib /lib32 /lib64 /usr /etc /var/lib /var/cache /dev /proc /sys /run'.split(' '),
  join(process.execPath, '../..'),
  process.env['npm_config_cache'] ?? '',
  process.env['npm_config_userconfig'] ?? '',
].filter((path) => path !== '')

/** From linux/fanotify.h: FAN_CLOEXEC | FAN_NONBLOCK | FAN_UNLIMITED_QUEUE, FAN_MARK_ADD | FAN_MARK_MOUNT, FAN_OPEN. */
const [INIT_FLAGS, MARK_FLAGS, OPENED] = [0x13, 0x11, 0x20]
/** From linux/fcntl.h: O_LARGEFILE | O_CLOEXEC, AT_FDCWD. */
const [FILE_FLAGS, WORKING_FOLDER] = [0o2100000, -100]

const foreign = new Set<string>()
const queue = watchRoot()
setInterval(readQueue, 50)
const [command = '', ...args] = process.argv.slice(2)
spawn(command, args, { stdio: 'inherit' }).on('close', (code) => {
  readQueue()
  for (const path of foreign) console.log(`opened outside the clone: ${path}`)
  process.exit(code === 0 && foreign.size > 0 ? 1 : (code ?? 1))
})

/** Asks Linux to report opened files. Returns the descriptor that reads the reports. */
function watchRoot(): number {
  open({ library: 'libc', path: '' })
  const { I32, U32, U64, String } = DataType
  const call = (funcName: string, paramsType: DataType[], paramsValue: unknown[]): number => {
    const result = load({ library: 'libc', funcName, retType: I32, paramsType, paramsValue })
    if (result < 0) throw new Error(`Linux refuses ${funcName}. It needs root.`)
    return result
  }
  const fd = call('fanotify_init', [U32, U32], [INIT_FLAGS, FILE_FLAGS])
  call('fanotify_mark', [I32, U32, U64, I32, String], [fd, MARK_FLAGS, OPENED, WORKING_FOLDER, '/'])
  return fd
}

/** Reads all reports so far. Each is a `struct fanotify_event_metadata`: its length, and at 16 the opened file. */
function readQueue(): void {
  const reports = Buffer.alloc(64 * 1024)
  for (let length = read(reports); length > 0; length = read(reports)) {
    for (let at = 0; at < length; at += reports.readUInt32LE(at)) {
      const file = reports.readInt32LE(at + 16)
      const path = readlinkSync(`/proc/self/fd/${file}`)
      closeSync(file)
      if (!USUAL.some((usual) => `${path}/`.startsWith(`${usual}/`))) foreign.add(path)
    }
  }
}

function read(reports: Buffer): number {
  try {
    return readSync(queue, reports)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return 0
    throw error
  }
}
