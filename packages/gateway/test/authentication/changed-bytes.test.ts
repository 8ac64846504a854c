// @module-tag long

import { testChangedBytes } from '../kit/changed-bytes.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const { gateway } = await serveSandbox([1000])

testChangedBytes(gateway, 100)
