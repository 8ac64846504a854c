import { expect, test } from 'vitest'
import { parseColumnTypes, parseWrittenTree } from './query-tree.ts'

// The engine's tree of this query:
// WITH own AS (SELECT * FROM file('x')) SELECT NOW(), sum(amount) AS `a b`, (SELECT 1 SETTINGS max_threads = 1)
// FROM merchants AS companies SAMPLE 0.1 WHERE currency IN (SELECT currency FROM gates) LIMIT 5
const WRITTEN = `QUERY id: 0
  WITH
    LIST id: 1, nodes: 1
      QUERY id: 2, is_subquery: 1, is_cte: 1, cte_name: own
        PROJECTION
          LIST id: 3, nodes: 1
            MATCHER id: 4, matcher_type: ASTERISK
        JOIN TREE
          TABLE_FUNCTION id: 5, table_function_name: file
            ARGUMENTS
              LIST id: 6, nodes: 1
                CONSTANT id: 7, constant_value: 'x', constant_value_type: String
  PROJECTION
    LIST id: 8, nodes: 3
      FUNCTION id: 9, function_name: NOW, function_type: ordinary
      FUNCTION id: 10, alias: a b, function_name: sum, function_type: ordinary
        ARGUMENTS
          LIST id: 11, nodes: 1
            IDENTIFIER id: 12, identifier: amount
      QUERY id: 13, is_subquery: 1
        PROJECTION
          LIST id: 14, nodes: 1
            CONSTANT id: 15, constant_value: UInt64_1, constant_value_type: UInt8
        JOIN TREE
          IDENTIFIER id: 16, identifier: system.one
        SETTINGS max_threads=1
  JOIN TREE
    IDENTIFIER id: 17, alias: companies, identifier: merchants, final: 0, sample_size: 1 / 10
  WHERE
    FUNCTION id: 18, function_name: in, function_type: ordinary
      ARGUMENTS
        LIST id: 19, nodes: 2
          IDENTIFIER id: 20, identifier: currency
          QUERY id: 21, is_subquery: 1
            PROJECTION
              LIST id: 22, nodes: 1
                IDENTIFIER id: 23, identifier: currency
            JOIN TREE
              IDENTIFIER id: 24, identifier: gates
  LIMIT
    CONSTANT id: 25, constant_value: UInt64_5, constant_value_type: UInt8`

test('finds tables, functions, names and clauses wherever they are in a query', () => {
  expect(parseWrittenTree(WRITTEN)).toEqual({
    tableFunctions: new Set(['file']),
    sources: new Set(['system.one', 'merchants', 'gates']),
    namedQueries: new Set(['own']),
    functions: new Set(['NOW', 'sum', 'in']),
    clauses: new Set(['SETTINGS', 'SAMPLE', 'LIMIT']),
    aliases: [{ alias: 'companies', identifier: 'merchants' }],
    sharedAliases: new Set(['a b', 'companies']),
    plainNames: new Set(['amount', 'merchants', 'currency', 'gates']),
    choosesColumns: false,
    hasScalarQuery: true,
  })
})

test('a sub-select counts as a value, except as a source, in a union, in WITH or after IN', () => {
  const lines = WRITTEN.split('\n')
  const scalar = lines.findIndex((line) => line.includes('id: 13'))
  const without = lines.toSpliced(scalar, 7)
  expect(parseWrittenTree(without.join('\n')).hasScalarQuery).toBe(false)
  const named = without.map((line) => line.replace(', is_cte: 1, cte_name: own', ''))
  expect(parseWrittenTree(named.join('\n')).hasScalarQuery).toBe(true)
  const compared = without.map((line) =>
    line.replace('function_name: in,', 'function_name: equals,'),
  )
  expect(parseWrittenTree(compared.join('\n')).hasScalarQuery).toBe(true)
  const column = without.findIndex((line) => line.includes('identifier: currency'))
  expect(parseWrittenTree(without.toSpliced(column, 1).join('\n')).hasScalarQuery).toBe(true)
  const union = `UNION id: 0, union_mode: UNION_ALL
  QUERIES
    LIST id: 1, nodes: 2
      QUERY id: 2
      QUERY id: 3`
  expect(parseWrittenTree(union).hasScalarQuery).toBe(false)
})

test('the content of a text adds nothing to the result, and a name hides nothing from it', () => {
  const texts = `QUERY id: 0
  PROJECTION
    LIST id: 1, nodes: 2
      CONSTANT id: 2, constant_value: '\\n TABLE_FUNCTION id: 3, table_function_name: file', constant_value_type: String
      FUNCTION id: 4, alias: a, function_name: plus, b, function_name: rand, function_type: ordinary`
  const { tableFunctions, functions } = parseWrittenTree(texts)
  expect([...tableFunctions]).toEqual([])
  expect([...functions]).toEqual(['rand'])
})

test('reads the types of the columns of a resolved query', () => {
  const resolved = `QUERY id: 0
  PROJECTION COLUMNS
    column_0 DateTime64(3, 'UTC')
    column_1 LowCardinality(Nullable(String))
  PROJECTION
    LIST id: 1, nodes: 1
      COLUMN id: 2, column_name: a, result_type: Int32, source_id: 3
  JOIN TREE
    QUERY id: 3, alias: __table1, is_subquery: 1
      PROJECTION COLUMNS
        a Int32`
  expect(parseColumnTypes(resolved)).toEqual([
    "DateTime64(3, 'UTC')",
    'LowCardinality(Nullable(String))',
  ])
})
