// @module-tag long

import { DARK, describeAccessibleViews, LIGHT, NARROW } from './kit/accessible-views.ts'

await describeAccessibleViews([LIGHT, DARK, NARROW])
