import type { ReportRequest } from '@counterfoil/client'

/** Requests a report, and shows it. */
export async function preview(_request: ReportRequest): Promise<void> {}

/** Requests a report, and saves it as a file. */
export async function download(_request: ReportRequest): Promise<void> {}
