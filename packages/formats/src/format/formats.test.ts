import { expect, test } from 'vitest'
import { FORMAT_NAMES, FORMATS } from './formats.ts'

test.each(FORMAT_NAMES)(
  'the names of %s and its encodings are in upper case, because requests may use any case',
  (name) => {
    for (const each of [name, ...FORMATS[name].encodings]) expect(each).toBe(each.toUpperCase())
  },
)
