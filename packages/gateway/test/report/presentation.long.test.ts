// Every delimiter, and many combinations. The short test tries some of them.

import { describe } from 'vitest'
import { DELIMITERS, testCombinations, testDelimiters } from './presentation.cases.ts'

describe('configurationReportParameters', () => {
  testDelimiters(DELIMITERS)
  testCombinations(200)
})
