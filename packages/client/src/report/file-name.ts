import { parse } from 'content-disposition'

/**
 * Returns the file name in a Content-Disposition (RFC 6266), made safe: a base name without characters that a file
 * system forbids. `filename*` (RFC 8187) takes precedence over `filename`. Returns undefined if no character of the
 * name is left.
 */
export function fileNameOf(contentDisposition: string): string | undefined {
  const name = parse(contentDisposition).parameters['filename']
  return name === undefined ? undefined : safeBaseName(name)
}

// A device keeps its meaning with any extension, and with spaces before the extension.
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])\s*(?:\.|$)/i

function safeBaseName(name: string): string | undefined {
  const base = name.split(/[/\\]/).at(-1) ?? ''
  // Control and format characters too: a right-to-left mark can disguise a name.
  const safe = base
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}<>:"|?*]/gu, '_')
    .replace(/^[.\s-]+/, '')
    .replace(/[.\s]+$/, '')
  return WINDOWS_DEVICE.test(safe) ? `_${safe}` : safe || undefined
}
