// Many texts of the greatest length. The short test writes some.

import { expect, test } from 'vitest'
import { writeLongTexts } from './pdf-files.cases.ts'

test('texts of the greatest length do not keep others waiting, and the end counts the cut texts', async () => {
  expect(await writeLongTexts(150)).toBeLessThan(3_000)
}, 60_000)
