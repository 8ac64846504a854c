import { describe } from 'vitest'
import { describeZones } from '../kit/planted-zones.ts'

describe('the engine opens no file for a time zone', () => {
  // The long tests try every case.
  describeZones((cases) => cases.filter((_, at) => at % 4 === 0))
})
