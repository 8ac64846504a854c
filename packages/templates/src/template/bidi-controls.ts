type Fault = (path: readonly (string | number)[], message: string) => void

/** Characters that reverse the text after them: embeddings, overrides and isolates (Unicode Standard Annex 9). */
const BIDI_CONTROL = /[\u202a-\u202e\u2066-\u2069]/

/**
 * Refuses bidirectional controls in every text of a report file. A title with one shows other words than it has, in
 * pages, PDF and help, and SQL with one reads otherwise than it runs. Hebrew and Arabic texts need none.
 */
export function checkBidiControls(
  value: unknown,
  fault: Fault,
  path: readonly (string | number)[] = [],
): void {
  if (typeof value === 'string') {
    const [control] = BIDI_CONTROL.exec(value) ?? []
    if (control === undefined) return
    const code = control.charCodeAt(0).toString(16).toUpperCase()
    fault(path, `expected a text without bidirectional controls, which reverse it, got U+${code}`)
  } else if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) {
      checkBidiControls(element, fault, [...path, index])
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      checkBidiControls(member, fault, [...path, name])
    }
  }
}
