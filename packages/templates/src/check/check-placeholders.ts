import { placeholderTypes } from '../template/parameter-types.ts'
import { parametersOf } from '../template/period.ts'
import { placeholderOf, type Template } from '../template/template.ts'
import type { CheckedTokens } from './check-tokens.ts'
import type { Fault } from './fault.ts'
import type { Piece } from './pieces.ts'

/**
 * Finds placeholders whose type cannot hold every value of their parameter. The engine would silently bind another
 * value.
 */
export function placeholderFaults(
  template: Template,
  pieces: readonly Piece[],
  tokens: readonly CheckedTokens[],
): readonly Fault[] {
  const types = new Map([
    ['now', ["DateTime64(3, 'UTC')"]],
    ['timezoneName', ['String']],
    ...parametersOf(template).map((parameter) => {
      return [placeholderOf(parameter.name), placeholderTypes(parameter)] as const
    }),
  ])
  return pieces.flatMap(({ path }, index) => {
    return (tokens[index]?.placeholders ?? []).flatMap(({ written, name, type }): Fault[] => {
      const accepted = types.get(name)
      // `checkTokens` has a better error for the type Identifier.
      const isName = type.trim() === 'Identifier'
      if (!accepted || isName || accepted.some((known) => isSameType(known, type))) return []
      const wanted = accepted.map((known) => `{${name}:${known}}`).join(' or ')
      return [{ path, expected: `expected ${wanted}, got ${written}` }]
    })
  })
}

function isSameType(one: string, other: string): boolean {
  return one.replaceAll(/\s/g, '') === other.replaceAll(/\s/g, '')
}
