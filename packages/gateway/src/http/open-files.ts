import * as z from 'zod'

const report = z.object({
  userLimits: z.object({ open_files: z.object({ soft: z.union([z.number(), z.string()]) }) }),
})

/** Reads how many files and connections this process may have open at once. */
export function readOpenFilesMax(): number {
  const parsed = report.safeParse(process.report.getReport())
  const soft = parsed.data?.userLimits.open_files.soft
  // The report holds the text "unlimited" if there is no limit.
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY
}
