// The PDF of every report. The short test reads some of them.

import { describe } from 'vitest'
import { EVERY_REPORT } from '../kit/sandbox.ts'
import { testRows } from './pdf-ua.cases.ts'

describe('a PDF of the gateway keeps the rules of PDF/UA-1', () => {
  testRows(EVERY_REPORT.map((file) => file.replace('.yaml', '')))
})
