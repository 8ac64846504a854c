import { join } from 'node:path'

/** The folder of the report files that come with the gateway. In the repository it is a link to `reports/`. */
export const SHIPPED_REPORTS = join(import.meta.dirname, '../../reports')
