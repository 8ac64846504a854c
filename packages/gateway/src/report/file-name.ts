import { periodInName } from '@counterfoil/formats'
import { withoutCardNumber } from '@counterfoil/common'

// Windows ignores the extension of a device's name, and spaces before the extension.
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])\s*(?:\.|$)/i

/**
 * Makes a file name for any system: without path, device name, control or reserved characters, with an extension. A
 * mark replaces a name that holds a card number. The period follows a name that has no extension yet.
 */
export function fileNameOf(
  reportName: string,
  extension: string,
  about?: Parameters<typeof periodInName>[0],
): string {
  const safe = withoutCardNumber(reportName)
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu, '_')
    .replace(/^[\s.]+|[\s.]+$/g, '')
  // Groups of digits with many reserved characters between them are closer together now.
  const name = safe === '' ? 'report' : withoutCardNumber(safe)
  const base = WINDOWS_DEVICE.test(name) ? `_${name}` : name
  if (base.toLowerCase().endsWith(`.${extension}`)) return base
  const period = about && periodInName(about)
  return `${period === undefined ? base : `${base}_${period}`}.${extension}`
}
