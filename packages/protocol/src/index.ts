export * from './payments/answers.ts'
export {
  CARD_NUMBER_PATTERNS,
  holdsCardNumber,
  PRINTED_GROUPS,
} from './payments/card-numbers.ts'
export * from './payments/errors.ts'
export * from './payments/operation.ts'
export * from './payments/operations.ts'
export { plainDigits } from './payments/plain-digits.ts'
export * from './payments/secret-fields.ts'
export * from './payments/validate-form.ts'
export { VALUE_CHECKS, type ValueCheck } from './payments/value-checks.ts'
export * from './catalogue.ts'
export { currencyDigits } from './currency-digits.ts'
export { FORMULA, neutraliseText } from './formula.ts'
export * from './iso-4217.ts'
export * from './outcomes.ts'
export * from './report-request.ts'
export * from './repr-digest.ts'
export * from './run.ts'
