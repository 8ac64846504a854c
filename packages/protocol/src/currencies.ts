const digitsOf = new Map<string, number>()

/** Returns how many fraction digits amounts of a currency have, or undefined for a text that is no currency code. */
export function currencyDigits(currency: string): number | undefined {
  if (!/^[A-Z]{3}$/.test(currency)) return undefined
  const known = digitsOf.get(currency)
  if (known !== undefined) return known
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  const digits = format.resolvedOptions().minimumFractionDigits ?? 0
  digitsOf.set(currency, digits)
  return digits
}

/** Digits after the point that a scaled integer has, unless a caller needs another number. */
const SCALE = 18

/**
 * Reads decimal text as a scaled integer, so that sums are exact. Returns undefined if the text is no such number, or
 * has more than `scale` digits after the point.
 *
 * @example
 * parseDecimal('-0.05', 4) // -500n
 */
export function parseDecimal(text: string, scale = SCALE): bigint | undefined {
  const point = text.indexOf('.')
  const [whole, fraction] = point < 0 ? [text, ''] : [text.slice(0, point), text.slice(point + 1)]
  if (fraction.length > scale || !/^-?\d+$/.test(whole + fraction)) return undefined
  return BigInt(whole + fraction.padEnd(scale, '0'))
}

/**
 * Writes a scaled integer as decimal text with at least `digitsMin` digits after the point.
 *
 * @example
 * formatDecimal(-500n, 3, 4) // '-0.050'
 */
export function formatDecimal(
  scaled: bigint,
  digitsMin = 0,
  scale = SCALE,
  separator: '.' | ',' = '.',
): string {
  const digits = String(scaled < 0n ? -scaled : scaled).padStart(scale + 1, '0')
  const point = digits.length - scale
  const fraction = digits.slice(point).replace(/0+$/, '').padEnd(digitsMin, '0')
  return (scaled < 0n ? '-' : '') + digits.slice(0, point) + (fraction && separator + fraction)
}

// Codes of three letters and of three digits, by the fraction digits of amounts.
const CODES: Readonly<Record<number, string>> = {
  0: `BIF108 CLP152 DJF262 GNF324 ISK352 JPY392 KMF174 KRW410 PYG600 RWF646 UGX800 UYI940 VND704 VUV548 XAF950 XOF952
    XPF953`,
  2: `AED784 AFN971 ALL008 AMD051 ANG532 AOA973 ARS032 AUD036 AWG533 AZN944 BAM977 BBD052 BDT050 BGN975 BMD060 BND096
    BOB068 BRL986 BSD044 BTN064 BWP072 BYN933 BZD084 CAD124 CDF976 CHF756 CNY156 COP170 CRC188 CUC931 CUP192 CVE132 CZK203
    DKK208 DOP214 DZD012 EGP818 ERN232 ETB230 EUR978 FJD242 FKP238 GBP826 GEL981 GHS936 GIP292 GMD270 GTQ320 GYD328
    HKD344 HNL340 HRK191 HTG332 HUF348 IDR360 ILS376 INR356 IRR364 JMD388 KES404 KGS417 KHR116 KPW408 KYD136 KZT398 LAK418
    LBP422 LKR144 LRD430 LSL426 MAD504 MDL498 MGA969 MKD807 MMK104 MNT496 MOP446 MRU929 MUR480 MVR462 MWK454 MXN484
    MYR458 MZN943 NAD516 NGN566 NIO558 NOK578 NPR524 NZD554 PAB590 PEN604 PGK598 PHP608 PKR586 PLN985 QAR634 RON946
    RSD941 RUB643 SAR682 SBD090 SCR690 SDG938 SEK752 SGD702 SHP654 SLE925 SLL694 SOS706 SRD968 SSP728 STN930 SVC222 SYP760
    SZL748 THB764 TJS972 TMT934 TOP776 TRY949 TTD780 TWD901 TZS834 UAH980 USD840 UYU858 UZS860 VED926 VES928 WST882
    XAD396 XCD951 XCG532 YER886 ZAR710 ZMW967 ZWG924 ZWL932`,
  3: 'BHD048 IQD368 JOD400 KWD414 LYD434 OMR512 TND788',
  4: 'CLF990 UYW927',
}

/** The currencies of ISO 4217 that people pay with or have paid with: no metals, funds and codes for tests. */
export const ISO_4217 = Object.entries(CODES)
  .flatMap(([exponent, codes]) => {
    return codes.split(/\s+/).map((code) => {
      return { currency: code.slice(0, 3), number: code.slice(3), exponent: Number(exponent) }
    })
  })
  .toSorted((one, other) => (one.currency < other.currency ? -1 : 1))
