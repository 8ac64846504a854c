import { decodeIfPossible } from '../parameters/form.ts'
import { showName } from '../refusals/refusals.ts'

/** The text around a character in which two base strings differ. */
export interface Excerpt {
  readonly before: string
  /** Empty at the end of the text. */
  readonly character: string
  readonly after: string
}

/** Where two base strings differ first. */
export interface Difference {
  /** The number of the character, counted from 1. */
  readonly at: number
  readonly part: 'method' | 'url' | 'parameters'
  /** The parameter of the gateway's base string that holds the character. */
  readonly parameter?: string
  readonly gateway: Excerpt
  readonly caller: Excerpt
}

const SHOWN_AROUND = 24
const PARTS = ['method', 'url', 'parameters'] as const

export function firstDifference(gateway: string, caller: string): Difference | undefined {
  if (gateway === caller) return undefined
  let index = 0
  while (index < gateway.length && gateway[index] === caller[index]) index += 1
  const before = gateway.slice(0, index)
  const part = PARTS[Math.min(before.split('&').length - 1, 2)] ?? 'parameters'
  const parameter = part === 'parameters' ? parameterAt(gateway, index) : undefined
  return {
    at: index + 1,
    part,
    ...(parameter !== undefined && { parameter }),
    gateway: excerptAt(gateway, index),
    caller: excerptAt(caller, index),
  }
}

function excerptAt(text: string, index: number): Excerpt {
  return {
    before: text.slice(Math.max(0, index - SHOWN_AROUND), index),
    character: text.slice(index, index + 1),
    after: text.slice(index + 1, index + 1 + SHOWN_AROUND),
  }
}

/** Returns the name of the parameter at an index, or its position if the name may be JSON or a card number. */
function parameterAt(baseString: string, index: number): string | undefined {
  const start = baseString.indexOf('&', baseString.indexOf('&') + 1) + 1
  const pairs = baseString.slice(start).split('%26')
  let end = start - '%26'.length
  for (const [place, pair] of pairs.entries()) {
    end += '%26'.length + pair.length
    if (index <= end) return showName(nameOf(pair), place + 1)
  }
  return undefined
}

function nameOf(pair: string): string {
  return decodeIfPossible(decodeIfPossible(pair.split('%3D', 1)[0] ?? ''))
}
