// Reads report files, checks them, and makes SQL of them.

export {
  axisOf,
  type Choice,
  compileTemplate,
  compileTotals,
  periodConditions,
  selectedColumn,
} from './template/compile-template.ts'
export {
  type Catalogue,
  type CatalogueReport,
  loadCatalogue,
  loadCheckedReports,
  noteBusinessDays,
} from './template/load-templates.ts'
export {
  CHANGED_SINCE,
  exampleValue,
  isUnreadable,
  placeholderOf,
  readValue,
  type TemplateParameter,
  TIMEZONE,
} from './template/parameters.ts'
export {
  fingerprintChecker,
  openReportChecks,
  type ReportChecks,
} from './template/report-checks.ts'
export {
  currencyOf,
  filteredCurrency,
  isFor,
  parametersOf,
  type Template,
  type TemplateColumn,
  UNFILTERED,
} from './template/template.ts'
