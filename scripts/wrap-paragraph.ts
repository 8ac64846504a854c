/** Breaks a paragraph into lines of at most `columns` characters. */
export function wrapParagraph(text: string, columns = 120): string {
  return text.replaceAll(new RegExp(`(.{1,${columns}})(?: |$)`, 'g'), '$1\n').trim()
}
