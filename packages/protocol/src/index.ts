export * from './outcomes.ts'
export * from './report-request.ts'
export * from './repr-digest.ts'
