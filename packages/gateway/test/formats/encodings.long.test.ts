// @module-tag long

// Every encoding. The short test tries encodings of each kind.

import { describeEncodings, ENCODINGS } from './encodings.cases.ts'

describeEncodings(ENCODINGS)
