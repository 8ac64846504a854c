import { describe } from 'vitest'
import { describeZones } from '../kit/planted-zones.ts'

describe('the engine opens no file for a time zone', () => {
  describeZones((cases) => cases)
})
