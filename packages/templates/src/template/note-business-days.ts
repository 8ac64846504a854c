import type { Catalogue } from './load-templates.ts'
import type { Template } from './template.ts'

/** Returns the columns of the ledger that hold business days and that a period can go by. */
function businessAxesOf({ period }: Template): readonly string[] {
  const written = Object.values(period?.axes ?? {}).map(({ sql }) => sql)
  return ['bank_date', 'settled_at', 'business_day'].filter((name) => written.includes(name))
}

/** Whether a report can go by the operator's business days. */
export function goesByBusinessDays(template: Template): boolean {
  return businessAxesOf(template).length > 0
}

/**
 * Adds the time zone of the operator's business days to the note of every report that can go by them.
 *
 * @param zone an IANA time zone
 */
export function noteBusinessDays(catalogue: Catalogue, zone: string): Catalogue {
  const reports = [...catalogue.reports].map(([identifier, report]) => {
    const { template } = report
    const axes = businessAxesOf(template)
    if (axes.length === 0) return [identifier, report] as const
    const note = [
      ...(template.note === undefined ? [] : [template.note]),
      `Business days are days in ${zone}.`,
      ...(axes.includes('settled_at') && axes.includes('bank_date')
        ? ['The axis bank agrees with statements in every time zone, and settled in this one.']
        : []),
    ].join(' ')
    return [identifier, { ...report, template: { ...template, note } }] as const
  })
  return { ...catalogue, reports: new Map(reports) }
}
