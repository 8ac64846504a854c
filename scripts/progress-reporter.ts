import { writeSync } from 'node:fs'
import type { Reporter, TestCase, TestModule, TestSpecification } from 'vitest/node'

/** The descriptor that `runVitest` opens for progress. */
const PROGRESS_FD = 3
/** A run that prints nothing for longer looks as if it hangs. */
const QUIET_MS = 10_000

interface Project {
  filesLeft: number
  passed: number
  failed: number
}

/** Prints each project as it ends, each failure at once, and how far the run is when nothing else happens. */
// Vitest takes the default export of a file as the reporter.
// oxlint-disable-next-line import/no-default-export
export default class ProgressReporter implements Reporter {
  readonly #projects = new Map<string, Project>()
  #files = 0
  #filesDone = 0
  #printedMs = performance.now()

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#files = specifications.length
    for (const { project } of specifications) this.#project(project.name).filesLeft += 1
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result()
    const project = this.#project(test.project.name)
    if (state === 'passed') project.passed += 1
    if (state !== 'failed') return
    project.failed += 1
    this.#print(`  FAILED ${test.module.relativeModuleId} > ${test.fullName}`)
    for (const { message } of errors ?? []) this.#print(`    ${message}`)
  }

  onTestModuleEnd(module: TestModule): void {
    const project = this.#project(module.project.name)
    this.#filesDone += 1
    project.filesLeft -= 1
    for (const { message } of module.errors()) {
      project.failed += 1
      this.#print(`  FAILED ${module.relativeModuleId}\n    ${message}`)
    }
    if (project.filesLeft === 0) this.#print(`  ${describeProject(module.project.name, project)}`)
    else if (performance.now() - this.#printedMs > QUIET_MS) {
      this.#print(`  ${this.#filesDone} of ${this.#files} files`)
    }
  }

  #project(name: string): Project {
    const known = this.#projects.get(name)
    if (known !== undefined) return known
    const project = { filesLeft: 0, passed: 0, failed: 0 }
    this.#projects.set(name, project)
    return project
  }

  #print(line: string): void {
    this.#printedMs = performance.now()
    writeSync(PROGRESS_FD, `${line}\n`)
  }
}

function describeProject(name: string, { passed, failed }: Project): string {
  return `${name.padEnd(22)}${failed > 0 ? 'FAILED' : 'passed'} ${passed} tests${failed > 0 ? `, ${failed} failed` : ''}`
}
