// @module-tag long

import { describeWork, HOSTILE, PLACES } from './linear-work.cases.ts'

// Each text at three places, and a JSON body, which is the longest, of every text. The long test tries every text at
// every place.
for (const [index, name] of Object.keys(PLACES).entries()) {
  const pieces = Object.entries(HOSTILE).filter((_, at) => {
    return name === 'a JSON body' || (at + index) % 5 === 0
  })
  describeWork(name, Object.fromEntries(pieces))
}
