import { expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../limits.ts'
import { openScratchLedger } from '../../test/kit/scratch-ledger.ts'
import { countReasons } from './list-refused.ts'

test('counts the most frequent reasons of refused rows, and as many as are printed', async () => {
  const ledger = await openScratchLedger()
  onTestFinished(() => ledger.close())
  const { engine } = ledger
  await engine.execute(
    'CREATE TABLE import_refused (line UInt64, reasons Array(String)) ENGINE = MergeTree ORDER BY line',
  )
  expect(await countReasons(engine)).toEqual([])
  await engine.execute(`INSERT INTO import_refused
    SELECT number, arrayFilter(x -> x != '', [
      if(number < 1500, 'amount: expected a value', ''),
      if(number < 20, 'status: expected a value', ''),
      concat('column ', leftPad(toString(number % 12), 2, '0'))])
    FROM numbers(2400)`)
  const reasons = await countReasons(engine)
  expect(reasons).toHaveLength(LIMITS.reasonsShownMax)
  expect(reasons.slice(0, 3)).toEqual([
    { reason: 'amount: expected a value', rows: 1500 },
    { reason: 'column 00', rows: 200 },
    { reason: 'column 01', rows: 200 },
  ])
})
