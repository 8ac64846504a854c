export * from './operations/answers.ts'
export {
  CARD_NUMBER_PATTERNS,
  holdsCardNumber,
  PRINTED_GROUPS,
} from './operations/card-numbers.ts'
export * from './operations/errors.ts'
export * from './operations/operation.ts'
export * from './operations/operations.ts'
export { plainDigits } from './operations/plain-digits.ts'
export * from './operations/secret-fields.ts'
export * from './operations/validate-form.ts'
export * from './outcomes.ts'
export * from './report-request.ts'
export * from './repr-digest.ts'
