import { MISTAKES, REFUSAL_STEPS } from '@counterfoil/signing'
import * as z from 'zod'

/** A mistake of a caller, and its fix. */
export const mistakeSchema = z.object({
  code: z.enum(MISTAKES.map(({ code }) => code)),
  sentence: z.string(),
  fix: z.string(),
  clause: z.string(),
})

/** A refusal of a sandbox, as JSON. */
export const refusalSchema = z
  .object({
    message: z.string(),
    requestId: z.string(),
    step: z.exactOptional(z.enum(Object.values(REFUSAL_STEPS))),
    code: z.exactOptional(z.enum(Object.keys(REFUSAL_STEPS))),
    expected: z.exactOptional(z.string()),
    got: z.exactOptional(z.string()),
    diagnosis: z.exactOptional(z.enum(['mistake', 'unknown', 'too-large', 'left-out'])),
    mistake: z.exactOptional(mistakeSchema),
    secondMistake: z.exactOptional(mistakeSchema),
    difference: z.exactOptional(
      z
        .object({
          at: z.int().min(1),
          part: z.enum(['method', 'url', 'parameters']),
          parameter: z.exactOptional(z.string()),
        })
        .meta({ description: 'where the base strings differ first; counted from 1' }),
    ),
    baseString: z.exactOptional(z.string()),
    baseStringCharactersLeftOut: z.exactOptional(z.int().min(0)),
  })
  .meta({
    description:
      'A refusal. A sandbox names the mistake; production gives the id of the request alone.',
  })
