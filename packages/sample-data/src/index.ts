export { addDemoCommand } from './demo/demo-command.ts'
export { generateLedger } from './generate/generate-ledger.ts'
export { addGenerateCommand } from './generate-command.ts'
