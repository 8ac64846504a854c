// @module-tag long

// The PDF of every report. The short test reads some of them.

import { EVERY_REPORT } from '../kit/sandbox.ts'
import { describeReport } from './pdf.cases.ts'

for (const file of EVERY_REPORT) describeReport(file.replace('.yaml', ''))
