import { CHANGED_SINCE } from './changes.ts'
import type { Template, TemplateParameter } from './template.ts'

/** The time zone of a report: for its bounds and for the times that it prints. */
export const TIMEZONE: TemplateParameter = {
  name: 'timezone',
  title: 'The time zone of the period and of the columns',
  type: 'INPUT_SELECT',
  required: false,
  default: 'UTC',
  allowed: 'timezones',
  list: false,
}

/** All parameters of a report: those of its period, the time zone, `changedSince`, and its own. */
export function parametersOf({
  period,
  changes,
  parameters,
}: Template): readonly TemplateParameter[] {
  const cursor = changes === undefined ? [] : [CHANGED_SINCE]
  return [...periodParameters(period), TIMEZONE, ...cursor, ...parameters]
}

function periodParameters(period: Template['period']): readonly TemplateParameter[] {
  if (!period) return []
  const axes = Object.keys(period.axes)
  const end = { type: 'INPUT_DATETIME', required: period.required, list: false } as const
  return [
    { name: 'dateFrom', title: 'The start of the period', ...end },
    { name: 'dateTo', title: 'The end of the period, not included', ...end },
    ...(axes.length === 1
      ? []
      : [
          {
            name: 'dateAxis',
            title: 'The date to which the period applies',
            type: 'INPUT_SELECT',
            required: false,
            default: axes[0],
            allowed: axes,
            list: false,
          } as const,
        ]),
  ]
}

/** An axis of a period. */
type Axis = NonNullable<Template['period']>['axes'][string]

/** The axis with a name. Without a name it is the first axis, and without a period `undefined`. */
export function axisOf(period: Template['period'], name: string | undefined): Axis | undefined {
  return period?.axes[name ?? Object.keys(period.axes)[0] ?? '']
}

const ENDS = [
  { name: 'dateFrom', operator: '>=', nearest: 'max' },
  { name: 'dateTo', operator: '<', nearest: 'min' },
] as const

/**
 * Returns conditions for the rows of a period, one for each end that has a value. For groups, the conditions use the
 * smallest and the largest value, and hold for every group that may have such a row.
 */
export function periodConditions(
  { sql, kind }: Axis,
  hasValue: (parameter: string) => boolean,
  of: 'rows' | 'groups' = 'rows',
): readonly string[] {
  return ENDS.filter(({ name }) => hasValue(name)).map(({ name, operator, nearest }) => {
    const instant = `{${name}:DateTime64(3, 'UTC')}`
    // A day has no hour, so it is compared with the day of the bound in the report's time zone.
    const bound = kind === 'date' ? `toDate32(toTimeZone(${instant}, {timezone:String}))` : instant
    return `${of === 'groups' ? nearest : ''}(${sql}\n) ${operator} ${bound}`
  })
}
