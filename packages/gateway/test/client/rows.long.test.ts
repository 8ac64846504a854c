// @module-tag long

// The rows of every report, from a real gateway. The short test reads some of them.

import { describeRows, reports } from './rows.cases.ts'

for (const report of reports) describeRows(report)
