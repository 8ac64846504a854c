// @module-tag long

import { describeSigners } from '../kit/other-signers.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const { gateway } = await serveSandbox([1_000])

describeSigners(gateway, () => true)
