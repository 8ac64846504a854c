// @module-tag long

// Many random requests. The short test sends fewer.

import { testAnswers } from './malformed.cases.ts'

testAnswers(150)
