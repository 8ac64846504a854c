const LENGTH_MAX = 31
/** The name of the sheet about the report. */
export const SUMMARY_NAME = 'About'

/** Returns the names of a report's sheets of rows: its title, and from the second sheet on a number. */
export function sheetNames(title: string, count: number): readonly string[] {
  // Spreadsheets refuse these characters, an apostrophe at an end, and the name History.
  const plain = title
    .replaceAll(/[\s\p{Cc}\p{Cs}\uFFFE\uFFFF\\/?*[\]:]+/gu, ' ')
    .replaceAll(/^['\s]+|['\s]+$/g, '')
  const isTaken = ['', 'history', SUMMARY_NAME.toLowerCase()].includes(plain.toLowerCase())
  const name = isTaken ? 'Rows' : plain
  return Array.from({ length: count }, (_, index) => {
    const number = index === 0 ? '' : ` ${index + 1}`
    return `${start(name, LENGTH_MAX - number.length)}${number}`
  })
}

function start(text: string, lengthMax: number): string {
  const isHalf = text.length > lengthMax && /[\uD800-\uDBFF]/.test(text.charAt(lengthMax - 1))
  return text.slice(0, isHalf ? lengthMax - 1 : lengthMax).replace(/['\s]+$/, '')
}
