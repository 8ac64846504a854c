// A device has its name with any extension, and with spaces before it.
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])\s*(?:\.|$)/i

/** A name made safe for a file on any system: no path, no device, no control or reserved character, with an extension. */
export function fileNameOf(reportName: string, extension: string): string {
  const safe = reportName
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu, '_')
    .replace(/^[\s.]+|[\s.]+$/g, '')
  const named = safe === '' ? 'report' : safe
  const base = WINDOWS_DEVICE.test(named) ? `_${named}` : named
  return base.toLowerCase().endsWith(`.${extension}`) ? base : `${base}.${extension}`
}
