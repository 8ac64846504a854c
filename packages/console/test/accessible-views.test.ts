import { describeAccessibleViews, LIGHT } from './kit/accessible-views.ts'

await describeAccessibleViews([LIGHT])
