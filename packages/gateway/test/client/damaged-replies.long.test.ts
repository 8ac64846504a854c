// @module-tag long

// The client behind a proxy that damages a real gateway's reports, with every fault and every ending.

import { describeProxy, ENDINGS, FAULTS } from './faulty-proxy.cases.ts'

for (const ending of ENDINGS) describeProxy(ending, FAULTS)
