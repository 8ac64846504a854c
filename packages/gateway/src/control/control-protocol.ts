import * as z from 'zod'

/** The version of the control protocol. A connection carries one request line and one answer line, both JSON. */
export const CONTROL_VERSION = 1

/** A request to a running gateway. */
export const controlRequestSchema = z.strictObject({
  version: z.literal(CONTROL_VERSION),
  command: z.string(),
  /** The command's input, which the command itself checks. */
  input: z.unknown().optional(),
})

const version = z.literal(CONTROL_VERSION)

/** The gateway's answer: the command's result, or a line for each fault. */
export const controlAnswerSchema = z.discriminatedUnion('ok', [
  z.object({ version, ok: z.literal(true), result: z.unknown() }),
  z.object({ version, ok: z.literal(false), faults: z.array(z.string()) }),
])

/** See {@link controlAnswerSchema}. */
export type ControlAnswer = z.infer<typeof controlAnswerSchema>
