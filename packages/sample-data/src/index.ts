export { controlSums, generateLedger } from './generate/generate-ledger.ts'
