import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/**
 * Reads a regular file, such as a configuration or a report file. A pipe or a device would block the complete process.
 *
 * @throws the error of the file system, or an error with the reason why the file is not read
 */
export function readRegularFile(file: string, bytesMax: number): Uint8Array {
  // With O_NONBLOCK, opening a pipe does not wait for a writer.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error('it is a folder, a pipe or a device')
    const bytes = Buffer.alloc(bytesMax + 1)
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(descriptor, bytes, length, bytes.length - length, null)
    }
    if (length > bytesMax) throw new Error(`it has more than ${Math.floor(bytesMax / 1024)} KiB`)
    return bytes.subarray(0, length)
  } finally {
    closeSync(descriptor)
  }
}
