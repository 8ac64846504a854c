// `npm run docs:demo` draws the picture of README.md: it runs a demo and the command `counterfoil report`.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endOf, startChild } from '../packages/counterfoil/test/run-command.ts'
import { runCommand } from '../packages/gateway/test/kit/child-gateway.ts'
import { freePort } from '../packages/gateway/test/kit/free-port.ts'

const PICTURE = join(import.meta.dirname, '../docs/pictures/demo.svg')
const TITLE =
  'A terminal: npm run demo serves a million transactions, and counterfoil report saves a month of them as CSV'
const WIDTH = 780
const LINE_HEIGHT = 20
const FIRST_LINE = 52
const CHARACTER_WIDTH = 8.43
const CSV_LINES = 5

/** The command of the picture, without the key: a word of each line is an argument. */
const COMMAND = [
  '--from 2026-10-01 --to 2026-11-01 --timezone Europe/Berlin',
  '--column Created_date --column Merchant_OID --column Transaction_type',
  '--column Status --column Amount --column Currency -o october.csv',
]
const REPORT = 'report transactions-list --private-key'

type Color = 'prompt' | 'typed' | 'note' | 'printed' | 'proof'
type Line = readonly (readonly [color: Color, text: string])[]

const scratch = mkdtempSync(join(tmpdir(), 'counterfoil-'))
try {
  writeFileSync(PICTURE, draw(await record(scratch)))
} finally {
  rmSync(scratch, { recursive: true })
}

/** Runs the demo and the command, and returns what a person sees. */
async function record(folder: string): Promise<readonly Line[]> {
  const port = await freePort()
  const dataDir = join(folder, 'demo')
  const demo = runCommand(['demo'], { PORT: String(port), DATA_DIR: dataDir })
  try {
    const ready = await demo.line(/^Ready: /)
    const made =
      demo
        .stdout()
        .match(/^Making demo transactions: .*$/gm)
        ?.at(-1) ?? ''
    const endpoint = ready.slice('Ready: '.length)
    const env = { COUNTERFOIL_ENDPOINT: endpoint, COUNTERFOIL_LOGIN: 'shop-2' }
    const key = join(dataDir, 'shop-2.private.pem')
    const args = [...REPORT.split(' '), key, ...COMMAND.join(' ').split(' ')]
    const { code, stderr } = await endOf(startChild(args, { folder, env }))
    if (code !== 0) throw new Error(stderr)
    const csv = readFileSync(join(folder, 'october.csv'), 'utf8').split('\r\n').slice(0, CSV_LINES)
    const printed = (text: string): Line => [['printed', text]]
    return [
      typed('npm run demo'),
      printed(made),
      [['note', '…']],
      printed(ready.replace(`:${port}`, ':8080')),
      [],
      [
        [
          'note',
          '# in another shell, with COUNTERFOIL_ENDPOINT and COUNTERFOIL_LOGIN set as in the README',
        ],
      ],
      typed(`npx counterfoil ${REPORT} var/demo/shop-2.private.pem \\`),
      ...COMMAND.map((line, at): Line => {
        return [['typed', `    ${line}${at === COMMAND.length - 1 ? '' : ' \\'}`]]
      }),
      ...stderr.trimEnd().split('\n').map(markProof),
      typed(`head -${CSV_LINES} october.csv`),
      ...csv.map(printed),
    ]
  } finally {
    demo.kill('SIGTERM')
    await demo.ended
  }
}

function typed(text: string): Line {
  return [
    ['prompt', '$ '],
    ['typed', text],
  ]
}

/** The proof that the report is complete follows a semicolon. */
function markProof(text: string): Line {
  const [before = '', proof] = text.split(/(?<=; )/)
  return proof === undefined
    ? [['printed', text]]
    : [
        ['printed', before],
        ['proof', proof],
      ]
}

function draw(lines: readonly Line[]): string {
  const height = FIRST_LINE + lines.length * LINE_HEIGHT + 8
  const size = `viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-labelledby="title">
  <title id="title">${TITLE}</title>
  <style>
    text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', 'DejaVu Sans Mono', monospace; white-space: pre }
    .printed { fill: #c9d1d9 } .prompt { fill: #58a6ff } .typed { fill: #ffffff } .note { fill: #8b949e } .proof { fill: #7ee787 }
  </style>
  <rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8" fill="#161b22" stroke="#6e7681"/>
  <circle cx="20" cy="18" r="5" fill="#6e7681"/>
  <circle cx="38" cy="18" r="5" fill="#6e7681"/>
  <circle cx="56" cy="18" r="5" fill="#6e7681"/>
${lines.map(drawLine).join('')}</svg>
`
}

function drawLine(line: Line, at: number): string {
  const length = line.reduce((sum, [, text]) => sum + text.length, 0)
  if (length === 0) return ''
  const spans = line.map(([color, text]) => `<tspan class="${color}">${escape(text)}</tspan>`)
  const place = `x="20" y="${FIRST_LINE + at * LINE_HEIGHT}"`
  const width = `textLength="${(length * CHARACTER_WIDTH).toFixed(1)}" lengthAdjust="spacingAndGlyphs"`
  return `  <text ${place} ${width} xml:space="preserve">${spans.join('')}</text>\n`
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
