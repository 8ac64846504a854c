import { type CellStyles, type ColumnKind, type DateFormat, isFreeText } from '@counterfoil/engine'
import { xmlText } from './sheet-text.ts'

// The numbers are positions in `cellXfs` below.
export const STYLES = {
  header: 1,
  text: 2,
  money: 3,
  integer: 8,
  rate: 9,
  ratio: 10,
  date: 11,
  time: 12,
  title: 13,
  label: 14,
  numberHeader: 15,
  leftInteger: 16,
} as const satisfies CellStyles & Record<string, number>

/** The number formats of a day. The backslashes keep a spreadsheet from replacing separators by those of its language. */
const DAY_FORMATS: Record<DateFormat, string> = {
  mixed: String.raw`yyyy\-mm\-dd`,
  ISO: String.raw`yyyy\-mm\-dd`,
  'DD.MM.YYYY': String.raw`dd\.mm\.yyyy`,
  'MM/DD/YYYY': String.raw`mm\/dd\/yyyy`,
}

const FONTS = ['<sz val="11"/>', '<b/><sz val="11"/>', '<b/><sz val="14"/>']
const [, BOLD, LARGE] = FONTS.keys()

interface CellFormat {
  readonly format: string
  readonly font?: number | undefined
  /** Whether the cell has the fill and the border of a title. */
  readonly isTitle?: true
  readonly alignment?: string
}

// Without the indent, a text would touch the number in the column before.
const LEFT = 'horizontal="left" indent="1"'
const TEXT: CellFormat = { format: '@', alignment: LEFT }

/** Returns the cell formats in the order of their numbers in `STYLES`. */
function cellFormats(dateFormat: DateFormat): readonly CellFormat[] {
  const day = DAY_FORMATS[dateFormat]
  const title = { font: BOLD, isTitle: true } as const
  const money = ['#,##0', '#,##0.0', '#,##0.00', '#,##0.000', '#,##0.0000']
  const numbers = [...money, '#,##0', '0.0#########', '0.00%', day, String.raw`${day}\ hh:mm:ss`]
  return [
    { format: 'General' },
    { ...title, ...TEXT },
    TEXT,
    ...numbers.map((format) => ({ format })),
    { format: 'General', font: LARGE, alignment: LEFT },
    { format: 'General', font: BOLD, alignment: LEFT },
    { ...title, format: '@', alignment: 'horizontal="right"' },
    { ...TEXT, format: '#,##0' },
  ]
}

// The first numbers belong to formats that every spreadsheet knows.
const KNOWN_FORMATS: Readonly<Record<string, number>> = { General: 0, '@': 49 }
const FIRST_OWN_FORMAT = 164

export function stylesXml(dateFormat: DateFormat): string {
  const cells = cellFormats(dateFormat)
  const own = [...new Set(cells.map(({ format }) => format))].filter((format) => {
    return !Object.hasOwn(KNOWN_FORMATS, format)
  })
  const numberOf = (format: string): number => {
    return KNOWN_FORMATS[format] ?? FIRST_OWN_FORMAT + own.indexOf(format)
  }
  const formats = own.map((format) => {
    return `<numFmt numFmtId="${numberOf(format)}" formatCode="${xmlText(format)}"/>`
  })
  const fonts = FONTS.map((font) => `<font>${font}<name val="Calibri"/><family val="2"/></font>`)
  const xfs = cells.map(({ format, font = 0, isTitle, alignment }) => {
    const box = isTitle ? 'fillId="2" borderId="1"' : 'fillId="0" borderId="0"'
    const aligned = alignment ? `<alignment ${alignment}/>` : ''
    const applied = ['NumberFormat', 'Font', 'Fill', 'Border', 'Alignment'].map((part) => {
      return `apply${part}="1"`
    })
    return `<xf numFmtId="${numberOf(format)}" fontId="${font}" ${box} xfId="0" ${applied.join(' ')}>${aligned}</xf>`
  })
  return `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">
<numFmts count="${formats.length}">${formats.join('')}</numFmts>
<fonts count="${fonts.length}">${fonts.join('')}</fonts>
<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>\
<fill><patternFill patternType="solid"><fgColor rgb="FFE7ECF2"/><bgColor indexed="64"/></patternFill></fill></fills>
<borders count="2"><border><left/><right/><top/><bottom/><diagonal/></border>\
<border><left/><right/><top/><bottom style="thin"><color rgb="FF8A97A6"/></bottom><diagonal/></border></borders>
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
<cellXfs count="${xfs.length}">${xfs.join('')}</cellXfs>
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>
</styleSheet>`
}

/** Returns the style of a column's title. Titles of numbers stand at the right, as the numbers do. */
export function headerStyle(kind: ColumnKind): number {
  return isFreeText(kind) ? STYLES.header : STYLES.numberHeader
}
