import * as z from 'zod'

/**
 * The version of the control protocol. A connection carries lines of JSON: a request, then messages in both directions
 * if the command has any, then the gateway's answer. If the connection closes before the answer, the gateway ends the
 * command.
 */
export const CONTROL_VERSION = 2

/** A request to a running gateway. */
export const controlRequestSchema = z.strictObject({
  version: z.literal(CONTROL_VERSION),
  command: z.string(),
  /** The command's input, which the command itself checks. */
  input: z.unknown().optional(),
})

const version = z.literal(CONTROL_VERSION)

/** A line from the gateway: a message of the command, its result, or the reasons why it failed. */
export const controlAnswerSchema = z.discriminatedUnion('kind', [
  z.object({ version, kind: z.literal('message'), message: z.unknown() }),
  z.object({ version, kind: z.literal('result'), result: z.unknown() }),
  z.object({ version, kind: z.literal('failed'), faults: z.array(z.string()) }),
])

/** See {@link controlAnswerSchema}. */
export type ControlAnswer = z.infer<typeof controlAnswerSchema>
