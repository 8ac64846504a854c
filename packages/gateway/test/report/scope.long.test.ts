// Every filter for each login. The short test tries each filter for one login.

import { FILTER_NAMES } from '@counterfoil/protocol'
import { describeScope, VIEWERS } from './scope.cases.ts'

for (const name of VIEWERS) describeScope(name, FILTER_NAMES)
