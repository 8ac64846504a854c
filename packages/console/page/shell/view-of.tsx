import type { ComponentType } from 'preact'
import { ReportView } from '../report/report-view.tsx'
import { RunsView } from '../runs/runs-view.tsx'
import { lazyView } from './lazy-view.tsx'
import type { View } from './route.ts'

const VIEW_COMPONENTS: Partial<Record<View, ComponentType>> = {
  report: ReportView,
  month: lazyView(async () => (await import('../month/month-view.tsx')).MonthView),
  runs: RunsView,
  payments: lazyView(async () => (await import('../payments/payments-view.tsx')).PaymentsView),
  sign: lazyView(async () => (await import('../sign/sign-view.tsx')).SignView),
  diagnose: lazyView(async () => (await import('../diagnose/diagnose-view.tsx')).DiagnoseView),
}

/** Returns the component of a view. */
export function viewOf(view: View) {
  const Component = VIEW_COMPONENTS[view]
  return Component && <Component />
}
