import { parse } from 'content-disposition'

/**
 * The file name that a Content-Disposition gives (RFC 6266; `filename*`, RFC 8187, before `filename`), made safe:
 * a base name without characters that a file system forbids. `undefined` where nothing of a name is left.
 */
export function fileNameOf(contentDisposition: string): string | undefined {
  const name = parse(contentDisposition).parameters['filename']
  return name === undefined ? undefined : safeBaseName(name)
}

// A device has its name with any extension, and with spaces before it.
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])\s*(?:\.|$)/i

function safeBaseName(name: string): string | undefined {
  const base = name.split(/[/\\]/).at(-1) ?? ''
  // Control and format characters too: a right-to-left mark can make a name look like another one.
  const safe = base
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}<>:"|?*]/gu, '_')
    .replace(/^[.\s-]+/, '')
    .replace(/[.\s]+$/, '')
  return WINDOWS_DEVICE.test(safe) ? `_${safe}` : safe || undefined
}
