import type { FileColumn } from '../format/format.ts'
import { list, numberIn, readStruct, struct, text, type Thrift, writeThrift } from './thrift.ts'

/** What the gateway writes into a footer. */
export interface FooterTexts {
  readonly columns: readonly Pick<FileColumn, 'title'>[]
  readonly metadata: Readonly<Record<string, string>>
}

/** Gives the columns of a footer their titles, and adds metadata. Returns the number of rows too. */
export function rewriteFooter(
  footer: Uint8Array,
  { columns, metadata }: FooterTexts,
): { readonly bytes: Uint8Array; readonly rows: number } {
  // The ids of members: https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
  const file = readStruct(footer)
  const [root, ...elements] = itemsOf(file.members.get(2))
  membersOf(root).set(4, text('report'))
  for (const [index, { title }] of columns.entries()) {
    membersOf(elements[index]).set(4, text(title))
  }
  for (const group of itemsOf(file.members.get(4))) {
    for (const [index, chunk] of itemsOf(membersOf(group).get(1)).entries()) {
      const path = list([text(columns[index]?.title ?? '')])
      membersOf(membersOf(chunk).get(3)).set(3, path)
    }
  }
  const pairs = Object.entries(metadata).map(([key, value]) =>
    struct({ 1: text(key), 2: text(value) }),
  )
  const [first, ...others] = pairs
  if (first) file.members.set(5, list([first, ...others]))
  file.members.set(6, text('Counterfoil'))
  const rows = file.members.get(3)
  return { bytes: writeThrift(file), rows: rows && 'bytes' in rows ? numberIn(rows) : 0 }
}

function itemsOf(value: Thrift | undefined): readonly Thrift[] {
  if (value && 'items' in value) return value.items
  throw new Error('The footer of the Parquet file lacks a list.')
}

function membersOf(value: Thrift | undefined): Map<number, Thrift> {
  if (value && 'members' in value) return value.members
  throw new Error('The footer of the Parquet file lacks a struct.')
}
