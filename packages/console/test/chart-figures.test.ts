import { expect, test } from 'vitest'
import { figuresOf } from '../page/answer/charts/chart-figures.ts'
import { createChartGroups } from '../page/answer/charts/chart-groups.ts'
import type { ChartPlan } from '../page/answer/charts/chart-plan.ts'
import { LIMITS } from '../page/answer/limits.ts'

test('draws as many groups as a chart may have', () => {
  const measure = { kind: 'count', column: 'Count' } as const
  const plan: ChartPlan = {
    by: [],
    currency: undefined,
    others: ['Text'],
    days: new Set(),
    measures: [measure],
    columns: ['Text', 'Count'],
  }
  const groups = createChartGroups(plan)
  for (let index = 1; index <= LIMITS.chartGroups; index += 1) {
    groups.add({ Text: `text ${index}`, Count: index })
  }
  const choice = { measure, grouping: 'Text', currency: '', filters: {} }
  const figures = figuresOf(groups.by('Text'), plan, choice)
  expect(figures).toHaveLength(LIMITS.chartGroups)
  const highest = `${LIMITS.chartGroups}`
  expect(figures[0]).toEqual({
    label: `text ${highest}`,
    value: LIMITS.chartGroups,
    text: highest,
  })
})
