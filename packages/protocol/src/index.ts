export * from './payments/answers.ts'
export {
  CARD_NUMBER_PATTERNS,
  holdsCardNumber,
  plainDigits,
  PRINTED_GROUPS,
} from './payments/card-numbers.ts'
export * from './payments/operation.ts'
export * from './payments/operations.ts'
export * from './payments/secret-fields.ts'
export * from './payments/validate-form.ts'
export { VALUE_CHECKS, type ValueCheck } from './payments/value-checks.ts'
export * from './catalogue.ts'
export * from './currencies.ts'
export * from './describe-faults.ts'
export * from './discovery.ts'
export { FORMULA, neutraliseText } from './formula.ts'
export * from './id.ts'
export { nearestName } from './nearest-name.ts'
export * from './outcomes.ts'
export * from './report-request.ts'
export * from './run.ts'
export { conforms, type JsonSchema, type OutputOf, type ValueOf } from './schema.ts'
