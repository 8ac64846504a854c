/** A name made safe for a file on any system: no path, no control or reserved character, not too long, with an extension. */
export function fileNameOf(reportName: string, extension: string): string {
  const safe = reportName
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu, '_')
    .replace(/^[\s.]+|[\s.]+$/g, '')
  const base = safe === '' ? 'report' : safe
  return base.toLowerCase().endsWith(`.${extension}`) ? base : `${base}.${extension}`
}
