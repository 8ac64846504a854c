// @module-tag long

// Examines every view on the other screens. accessible-views.test.ts examines the light one.

import { DARK, describeAccessibleViews, NARROW } from './kit/accessible-views.ts'

await describeAccessibleViews([DARK, NARROW])
