import { expect, test } from 'vitest'
import { useScratchLedger } from '../../test/kit/scratch-ledger.ts'
import { describeMissing, findMissing } from './warn-of-missing.ts'

const scratch = await useScratchLedger()
await scratch.fill('INSERT INTO merchants (merchant_id, name) VALUES (16, $$a$$), (18, $$b$$)')
await scratch.fill('INSERT INTO transactions (merchant_id, reseller_id) VALUES (16, 3), (17, 3)')

test('lists an id without transactions, and an id with transactions but no name', async () => {
  const missing = await findMissing(scratch.engine, {
    role: 'merchant',
    ids: ['19', '18', '17', '16'],
  })
  expect(missing).toEqual({ withoutTransactions: ['18', '19'], withoutName: ['17'] })
})

test('looks up resellers in their own column', async () => {
  const missing = await findMissing(scratch.engine, { role: 'reseller', ids: ['3', '17'] })
  expect(missing).toEqual({ withoutTransactions: ['17'], withoutName: ['3'] })
})

test('the warnings say what is missing, and what follows', () => {
  const role = 'merchant'
  expect(describeMissing({ withoutTransactions: ['18'], withoutName: ['17'] }, { role })).toEqual([
    'The ledger has no transactions of merchant 18.',
    'The ledger has no name for merchant 17. Its reports leave the name empty.',
  ])
  expect(
    describeMissing({ withoutTransactions: ['8', '9'], withoutName: ['5', '6'] }, { role }),
  ).toEqual([
    'The ledger has no transactions of merchants 8, 9.',
    'The ledger has no names for merchants 5, 6. Their reports leave the name empty.',
  ])
  expect(describeMissing({ withoutTransactions: [], withoutName: [] }, { role })).toEqual([])
})
