import { expect, test } from 'vitest'
import { useScratchLedger } from '../../test/kit/scratch-ledger.ts'
import { findMissing } from './warn-of-missing.ts'

const scratch = await useScratchLedger()
await scratch.fill('INSERT INTO merchants (merchant_id, name) VALUES (16, $$a$$), (18, $$b$$)')
await scratch.fill('INSERT INTO transactions (merchant_id, reseller_id) VALUES (16, 3), (17, 3)')

test.each([
  [
    'merchant',
    ['19', '18', '17', '16'],
    [
      'The ledger has no transactions of merchants 18, 19.',
      'The ledger has no name for merchant 17. Reports leave the name empty.',
    ],
  ],
  [
    'reseller',
    ['3', '17'],
    [
      'The ledger has no transactions of reseller 17.',
      'The ledger has no name for reseller 3. Reports leave the name empty.',
    ],
  ],
  ['merchant', ['16'], []],
] as const)('says what the ledger lacks for a %s that sees %j', async (role, sees, warnings) => {
  expect(await findMissing(scratch.engine, { role, sees })).toEqual(warnings)
})
