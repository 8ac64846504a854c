// `npm run docker:try` does what `docker build` would do, in empty folders of this machine: it copies and runs every
// command of the Dockerfile. Then it starts the command of the image and asks its health check.

import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Copy, DockerfileParser, From, type Instruction } from 'dockerfile-ast'
import * as z from 'zod'
import { freePort } from '../packages/gateway/test/kit/free-port.ts'

const ROOT = join(import.meta.dirname, '..')
const HEALTH_SECONDS = 60

/** A stage of the Dockerfile: an empty folder in place of the root, and the folder of `WORKDIR`. */
interface Stage {
  readonly root: string
  folder: string
}

const folder = mkdtempSync(join(tmpdir(), 'counterfoil-docker-'))
try {
  const { image, command, health } = build(readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8'))
  await serve(image, command, health)
  console.log('The image builds, serves, and passes its health check.')
} finally {
  rmSync(folder, { recursive: true })
}

/** Runs the instructions. Returns the last stage, the image's command and its health check. */
function build(text: string) {
  const stages = new Map<string, Stage>()
  let stage: Stage | undefined
  let [entry, command, health]: (readonly string[])[] = [[], [], []]
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    console.log(`${instruction.getKeyword()} ${instruction.getArgumentsContent() ?? ''}`)
    if (instruction instanceof From) {
      const name = instruction.getBuildStage() ?? String(stages.size)
      const root = join(folder, name)
      stage = { root, folder: root }
      mkdirSync(root)
      stages.set(name, stage)
      continue
    }
    if (!stage) throw new Error('expected FROM first')
    const rest = instruction.getExpandedArguments().map((argument) => argument.getValue())
    switch (instruction.getKeyword()) {
      case 'WORKDIR':
        stage.folder = join(stage.root, rest[0] ?? '')
        mkdirSync(stage.folder, { recursive: true })
        break
      case 'COPY':
        copy(stage, rest, stages, instruction)
        break
      case 'RUN':
        run(stage, instruction.getArgumentsContent() ?? '')
        break
      case 'ENTRYPOINT':
        entry = wordsOf(instruction)
        break
      case 'CMD':
        command = wordsOf(instruction)
        break
      case 'HEALTHCHECK':
        health = wordsOf(instruction)
        break
      default:
    }
  }
  if (!stage) throw new Error('expected a stage')
  return { image: stage, command: [...(entry ?? []), ...(command ?? [])], health: health ?? [] }
}

function copy(
  stage: Stage,
  words: readonly string[],
  stages: ReadonlyMap<string, Stage>,
  instruction: Instruction,
): void {
  const from = instruction instanceof Copy ? instruction.getFromFlag()?.getValue() : null
  const source = stages.get(from ?? '')
  const target = join(stage.folder, words.at(-1) ?? '')
  for (const word of words.slice(0, -1)) {
    const path = source ? join(source.root, word) : join(ROOT, word)
    if (!existsSync(path)) throw new Error(`COPY: ${word} is missing`)
    const isFolder = words.at(-1)?.endsWith('/') === true
    const filter = (file: string) =>
      source !== undefined || !/node_modules|[.]test[.]ts$/.test(file)
    cpSync(path, isFolder ? join(target, basename(word)) : target, {
      recursive: true,
      verbatimSymlinks: true,
      filter,
    })
  }
}

/** Runs a shell command. Paths of the image's own folders are below the stage's root. */
function run({ root, folder: cwd }: Stage, command: string): void {
  const here = command.replaceAll('/var/lib/', `${root}/var/lib/`).replace(/ -o node -g node/, '')
  mkdirSync(join(root, 'var/lib'), { recursive: true })
  execFileSync('/bin/sh', ['-ec', here], { cwd, stdio: 'inherit' })
}

/** Reads the JSON array of a command, which may follow options. */
function wordsOf(instruction: Instruction): readonly string[] {
  const [json = '[]'] = /\[.*\]$/s.exec(instruction.getArgumentsContent() ?? '') ?? []
  return z.array(z.string()).parse(JSON.parse(json))
}

/** Starts the image's command with a configuration as docs/containers.md describes it, and runs the health check. */
async function serve(
  { root, folder: cwd }: Stage,
  command: readonly string[],
  health: readonly string[],
): Promise<void> {
  const port = await freePort()
  const config = join(root, 'gateway.yaml')
  writeFileSync(join(root, 'master.key'), randomBytes(32).toString('base64'), { mode: 0o600 })
  writeFileSync(
    config,
    `environment: sandbox
publicUrl: https://reports.example.com
reportPath: /ui/services/v2/rpt-engine
listen: { host: 127.0.0.1, port: ${port} }
proxyEndsTls: true
dataDir: ${root}/var/lib/counterfoil
reports: ${cwd}/reports
masterKeys: [{ version: 1, file: master.key }]
`,
  )
  const words = command.map((word) => word.replace('/etc/counterfoil/gateway.yaml', config))
  console.log(words.join(' '))
  const child = spawn(words[0] ?? '', words.slice(1), { cwd, stdio: 'inherit' })
  const ended = new Promise((resolve) => child.once('close', resolve))
  try {
    await healthy(
      cwd,
      health.map((word) => word.replace(':8080/', `:${port}/`)),
    )
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

async function healthy(cwd: string, [program = '', ...options]: readonly string[]): Promise<void> {
  for (let second = 0; ; second += 1) {
    try {
      execFileSync(program, options, { cwd, stdio: 'ignore' })
      return
    } catch (error) {
      if (second === HEALTH_SECONDS) throw error
      await sleep(1000)
    }
  }
}
