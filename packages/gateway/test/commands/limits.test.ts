import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { configSchema } from '../../src/config/schema.ts'
import { LIMITS } from '../../src/limits.ts'

/** The tests that try a limit, at it and beyond it: their titles by file. */
type Tried = Readonly<Record<string, readonly string[]>>

const TIMES: Tried = {
  'test/http/time-limits.test.ts': [
    'whose %s comes in time is answered in full',
    'whose %s comes late is told so, and its connection is ended',
  ],
}
const MANY_PARTS =
  'as many parameters and columns as there can be, of the longest values and titles, with %s quotes'

const CONTROL: Tried = {
  'src/control/open-control-socket.test.ts': [
    'limits open connections, and ends a connection that sends no line in time',
  ],
}

const FILES: Tried = {
  'src/http/connections.test.ts': ['leave the engine its open files'],
  'test/http/connection-limits.test.ts': [
    'more connections than the open files allow are refused, and reports go on',
  ],
}

const LIMITS_TRIED: Readonly<Record<string, Tried>> = {
  importedPieceBytes: {
    'test/import/import-corruption.test.ts': ['reads a file in several pieces'],
  },
  comparedRowsMax: {
    'test/import/import-corruption.test.ts': ['reads a file in several pieces'],
  },
  importedRowBytesMax: {
    'test/import/import-unreadable.test.ts': [
      'are refused for bytes that are not UTF-8, and for their length',
    ],
  },
  bodyBytesMax: {
    'test/authentication/problems.test.ts': [
      'of exactly 1 MiB goes on to the next stage, and one byte more is too large',
    ],
    'test/http/malformed.test.ts': ['bodies of every size around the limit are taken or too large'],
  },
  smallBodyBytesMax: {
    'test/http/bounded-bodies.test.ts': ['keep no ordinary request out'],
  },
  largeRequestBytesMin: {
    'src/report/large-requests.test.ts': ['does not delay small requests'],
  },
  newConnectionsMax: {
    'test/http/connection-limits.test.ts': ['one address may not connect as often as it likes'],
  },
  connectionsWindowMs: {
    'test/http/connection-limits.test.ts': ['one address may not connect as often as it likes'],
  },
  pipelinedRequestsMax: {
    'test/http/strange-requests.test.ts': [
      'of many requests at once the connection ends, and costs little',
    ],
  },
  abandonedPlaceMs: {
    'src/report/admission.test.ts': [
      'keeps the place of a report for a while after its caller has left',
    ],
  },
  largeRequestRestMs: {
    'src/report/large-requests.test.ts': ['spaces out the large requests of a login'],
  },
  largeRequestWaitMs: {
    'src/report/large-requests.test.ts': [
      'refuses further requests of a login that sends too many',
    ],
  },
  bodiesBytesMax: {
    'test/http/bounded-bodies.test.ts': ['are refused beyond the memory for all of them'],
  },
  bodyPiecesMax: {
    'test/http/bounded-bodies.test.ts': [
      'a body in one-byte chunks costs little, and is refused after so many',
      'a body in as many pieces as are allowed is taken',
    ],
  },
  emptyBodyBytesMax: {
    'test/http/bounded-bodies.test.ts': ['before the body has arrived, the gateway refuses'],
  },
  headerBytesMax: {
    'test/http/malformed.test.ts': ['headers are taken up to 16 KiB, and too large above'],
  },
  headersTimeoutMs: TIMES,
  requestTimeoutMs: TIMES,
  checkConnectionsMs: TIMES,
  lingerMs: {
    'test/http/stubborn-callers.test.ts': [
      'a connection that sent %s and is never ended by its caller is ended by the gateway',
    ],
  },
  replyTimeoutMs: {
    'src/http/reply.test.ts': ['closes the connection of a caller that does not read its reply'],
  },
  connectionsMax: {
    'src/http/connections.test.ts': [
      'are the same for any number of open files that is large enough',
    ],
  },
  addressShareMax: {
    'test/http/connection-limits.test.ts': [
      'one address gets a quarter of the connections where no proxy is declared',
    ],
  },
  connectionsShareMin: {
    'src/http/connections.test.ts': ['share too few open files with the engine'],
    'test/http/connection-limits.test.ts': ['a low limit on open files is a warning'],
  },
  ownFilesMax: FILES,
  filesPerReportMax: FILES,
  controlLineBytesMax: {
    'src/control/open-control-socket.test.ts': ['refuses a line that is too long, and goes on'],
  },
  controlLineTimeoutMs: CONTROL,
  controlConnectionsMax: CONTROL,
  yamlFileBytesMax: {
    'src/templates/load-templates.test.ts': [
      'refuses pipes and large files by name, without waiting',
    ],
  },
  reportFilesMax: {
    'src/templates/load-templates.test.ts': ['refuses more files than the limit'],
  },
  rememberedChecksMax: {
    'src/templates/report-checks.test.ts': ['forgets the oldest check at the limit'],
  },
  reasonsShownMax: {
    'src/import/list-refused.test.ts': [
      'counts the most frequent reasons of refused rows, and as many as are printed',
    ],
  },
  shownBaseStringLengthMax: {
    'src/authenticate/refusal-message.test.ts': [
      'is shown up to the last parameter that fits, and the rest is counted',
    ],
  },
  refusalReasonLengthMax: {
    'src/authenticate/refusal-message.test.ts': [
      'truncates a long reason, and shows no part of a card number',
    ],
  },
  keepAliveTimeoutMs: {
    'test/http/time-limits.test.ts': [
      'a connection takes the next request for as long as it is kept alive, and is ended then',
    ],
  },
  stalledReaderMs: {
    'test/http/time-limits.test.ts': [
      'who rests for less than the limit, again and again, gets the whole report',
      'who rests for longer is cut off, and what it has is no whole report',
    ],
  },
  readerBytesPerSecondMin: {
    'src/http/reader-pace.test.ts': [
      'never cuts off a reader at the minimum rate',
      'cuts off a reader below the minimum rate once it is too far behind',
    ],
  },
  unsentBytesOfAllMax: {
    'src/http/reply.test.ts': [
      'waits after each chunk for its reader when all reports together have much to send',
    ],
  },
  newestRowsKeptMs: { 'src/report/newest-rows.test.ts': ['reads newest rows again after a while'] },
  newestRowsMax: {
    'src/report/newest-rows.test.ts': ['caches newest rows for a limited number of callers'],
  },
  unsentBytesMax: {
    'src/http/reply.test.ts': ['keeps few chunks in memory for a reader that takes nothing'],
  },
  smallReportBytesMax: {
    'src/report/admission.test.ts': ['are not for a login whose running report has produced much'],
  },
  smallReportMsMax: {
    'src/report/admission.test.ts': ['are not for a login whose report has run for long'],
  },
  filterValuesMax: {
    'test/report/large-scopes.test.ts': [
      'narrowed by nine filters at once, eight of them of ${LIMITS.filterValuesMax} ids, is whole',
      'takes no id more, and not one that is another’s in the midst of so many',
    ],
  },
  parametersMax: { 'test/http/request-limits.test.ts': [MANY_PARTS, 'elements of %s'] },
  faultsShownMax: {
    'test/http/large-requests.test.ts': [
      'of very many faults the first are told, and the others counted',
    ],
  },
  reportNameLengthMax: {
    'test/http/request-limits.test.ts': ['a report’s name, in its file’s name', 'a report’s name'],
  },
  parameterLengthMax: { 'test/http/request-limits.test.ts': [MANY_PARTS, 'a parameter’s value'] },
  retryAfterSeconds: {
    'test/engine/engine-limits.test.ts': [
      'that needs more memory than all queries may use is refused for now, and others are completed',
    ],
  },
  liveKeysMax: {
    'test/kit/store-contract.ts': [
      'of a login are two live ones at most, and a revoked one makes room',
    ],
  },
  loginLengthMax: {
    'src/commands/logins-and-keys.test.ts': [
      'may have a name of the longest length, but not a longer one',
    ],
  },
  controlKeyLengthMin: {
    'src/keys/credentials.test.ts': [
      'the fingerprint of a control key is the SHA-256 of its text',
      'a control key %j that an operator brings is refused without being shown',
    ],
  },
  openKeysMax: {
    'src/keys/credentials.test.ts': ['of more keys than are kept open, each still opens to itself'],
    'src/store/sqlite-store.test.ts': [
      'of whom there are more than are kept in mind are found all the same, as they are now',
    ],
  },
  keyFileBytesMax: {
    'src/commands/logins-and-keys.test.ts': [
      'can be read from a file of the largest size, but not from a larger one',
    ],
  },
  nonceKeptSeconds: {
    'test/kit/store-contract.ts': [
      'is remembered until 360 s after its timestamp, and is too old from then on',
    ],
  },
  noncesForgottenMax: {
    'src/store/sqlite-store.test.ts': [
      'is not kept for ever: a rush is forgotten bit by bit, and nothing of it opens meanwhile',
    ],
  },
  endpointsKeptMs: {
    'src/payments/endpoints.test.ts': [
      'finds a new endpoint after a minute, and keeps the old cache if the engine is busy',
    ],
  },
  relayEveryMs: {
    'src/payments/relay.test.ts': ['relays entries without a flush, also after a failure'],
  },
  relayBatchEntriesMax: {
    'src/payments/relay.test.ts': ['relays more entries than one batch holds, batch after batch'],
  },
  ordersMax: {
    'test/kit/store-contract.ts': ['gives no number above the maximum'],
  },
  outboxRetentionMs: {
    'test/kit/store-contract.ts': [
      'makes entries due again that were relayed lately, and prunes older ones',
    ],
  },
  ledgerLockWaitMs: {
    'test/commands/reload.test.ts': [
      'a second gateway on the same data does not start, names the first, and does not take its commands',
    ],
  },
  storeBusyTimeoutMs: {
    'test/http/time-limits.test.ts': [
      'is waited for',
      'is an error after a time, and what was not written is written the next time',
    ],
  },
}

const CONFIGURATION_TRIED: Readonly<Record<string, Tried>> = {
  'engine.sessions': {
    'test/engine/engine-limits.test.ts': [
      'the largest number of sessions runs as many reports at once',
    ],
    'test/http/load.test.ts': ['16 reports at once all come, each of them whole'],
  },
  'engine.queueLength': {
    'src/report/admission.test.ts': ['refuses a login that has as many reports as any other'],
    'test/http/load.test.ts': [
      'where there is no room for 16, each comes whole or is told to wait',
    ],
  },
  'engine.queueWaitSeconds': {
    'src/report/admission.test.ts': [
      'refuses a report that has waited too long, and gives it no place later',
    ],
    'test/http/load.test.ts': ['who has waited for as long as one may is told to come back'],
  },
  'engine.querySeconds': {
    'test/engine/engine-limits.test.ts': ['that takes longer than the limit is cut off'],
    'test/report/broken-report.test.ts': [
      'a report that takes longer than one may is a problem, or cut off once it has begun',
    ],
  },
  'engine.queryMemoryMax': {
    'test/engine/engine-limits.test.ts': [
      'that needs more memory than one query may use is cut off, or refused before its first byte',
    ],
  },
  'engine.memoryMax': {
    'test/engine/engine-limits.test.ts': [
      'that needs more memory than all queries may use is refused for now, and others are completed',
    ],
  },
  drainSeconds: {
    'test/commands/shutdown.test.ts': [
      'a running report is completed, and the process ends with 0',
      'the gateway cuts off a stalled reader after the time to drain',
      'the gateway ends a report that has not begun after the time to drain',
    ],
  },
}

/** Limits that are neither in the package nor in the configuration: of report files, of requests, and of the engine. */
const OTHERS_TRIED: Readonly<Record<string, Tried>> = {
  'period.daysMax': {
    'test/http/request-limits.test.ts': [
      'of days, in %s from %s, holds a month of 31 to %s and no day more',
    ],
  },
  'parameters[].lengthMax': {
    'test/http/request-limits.test.ts': ['of characters holds so many and no more'],
  },
  'parameters[].allowed': { 'test/authentication/problems.test.ts': ['%j is not taken for %s'] },
  'the digits of a number': {
    'test/http/request-limits.test.ts': [
      'no digit of a number is lost; one more than there can be is refused',
    ],
  },
  'the characters of a title': {
    'test/http/request-limits.test.ts': [MANY_PARTS, 'a column’s title'],
  },
  'the digits of an id': {
    'test/http/large-requests.test.ts': ['eight filters of %i ids each give a report'],
    'test/report/foreign-ids.test.ts': [
      'an id that no ledger can have is told before anything is looked up',
    ],
  },
  'the ids that a login sees': {
    'test/report/large-scopes.test.ts': [
      'of a merchant who sees ${SEEN} is whole, also narrowed by all of them in eight filters',
      'a report on every table, of a merchant who sees ${SEEN}, has all that is theirs of each',
    ],
  },
  'what the engine could shorten an answer by': {
    'test/report/whole-results.test.ts': [
      'is off for a report and for its look-up, whatever the engine’s version calls it',
      'of %s is whole',
      'fields of millions of characters are whole, with %s quotes',
    ],
  },
}

describe.each([
  ...Object.entries(LIMITS_TRIED),
  ...Object.entries(CONFIGURATION_TRIED),
  ...Object.entries(OTHERS_TRIED),
])('the limit %s', (_, tried) => {
  test.each(Object.entries(tried))('is tested in %s', (file, titles) => {
    const text = readFileSync(join(import.meta.dirname, '../..', file), 'utf8')
    const missing = titles.filter((title) => {
      return !text.includes(`'${title}',`) && !text.includes(`\`${title}\`,`)
    })
    expect(missing).toEqual([])
  })
})

test('every limit of the package is tested', () => {
  expect(Object.keys(LIMITS_TRIED).toSorted()).toEqual(Object.keys(LIMITS).toSorted())
})

test('every limit of the configuration is tested', () => {
  const { properties = {} } = z.toJSONSchema(configSchema, { io: 'input' })
  const { engine } = properties
  if (typeof engine !== 'object') throw new Error('expected the configuration of the engine')
  const own = Object.keys(engine.properties ?? {}).map((name) => `engine.${name}`)
  expect(Object.keys(CONFIGURATION_TRIED).toSorted()).toEqual(['drainSeconds', ...own].toSorted())
})
