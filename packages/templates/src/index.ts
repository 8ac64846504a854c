// Reads report files, checks them, and makes SQL of them.

export { CHANGED_SINCE } from './template/changes.ts'
export {
  type Choice,
  compileTemplate,
  compileTotals,
  selectedColumn,
} from './template/compile-template.ts'
export {
  type Catalogue,
  type CatalogueReport,
  loadCatalogue,
  loadCheckedReports,
} from './template/load-templates.ts'
export { noteBusinessDays } from './template/note-business-days.ts'
export { exampleValue, isUnreadable, readValue } from './template/parameter-types.ts'
export { axisOf, parametersOf, periodConditions, TIMEZONE } from './template/period.ts'
export {
  fingerprintChecker,
  openReportChecks,
  type ReportChecks,
} from './template/report-checks.ts'
export {
  currencyOf,
  filteredCurrency,
  isFor,
  placeholderOf,
  separatesTotals,
  type Template,
  type TemplateColumn,
  type TemplateParameter,
  UNFILTERED,
} from './template/template.ts'
