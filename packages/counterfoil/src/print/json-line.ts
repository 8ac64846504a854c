/** Writes a value as a line of JSON that cannot control a terminal. */
export function jsonLine(value: unknown): string {
  return `${escapeControls(JSON.stringify(value))}\n`
}

/**
 * Escapes the control characters in JSON or TypeScript, also those that reverse the direction of text. The strings keep
 * their value. `JSON.stringify` escapes only the first 32 characters.
 */
export function escapeControls(code: string): string {
  return code.replaceAll(/[^\P{C}\n\t]/gu, (character) => {
    // Characters beyond U+FFFF have two escapes.
    return character.replaceAll(/[^]/g, (unit) => {
      return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
    })
  })
}
