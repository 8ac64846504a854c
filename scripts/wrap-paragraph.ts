/** Breaks a paragraph into lines of at most 120 characters. */
export function wrapParagraph(text: string): string {
  return text.replaceAll(/(.{1,120})(?: |$)/g, '$1\n').trim()
}
