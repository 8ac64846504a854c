// @module-tag long

// Every hostile text at every place. The short test tries some of them.

import { describeWork, HOSTILE, PLACES } from './linear-work.cases.ts'

for (const name of Object.keys(PLACES)) describeWork(name, HOSTILE)
