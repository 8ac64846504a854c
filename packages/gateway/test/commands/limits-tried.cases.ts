import { CONNECTIONS_TRIED } from './connection-limits-tried.cases.ts'
import { KEYS_TRIED } from './key-limits-tried.cases.ts'
import { REFUSALS_TRIED } from './refusal-limits-tried.cases.ts'
import { RUNS_TRIED } from './run-limits-tried.cases.ts'
/** The tests that try a limit, at it and beyond it: their titles by file. */
export type Tried = Readonly<Record<string, readonly string[]>>

const TIMES: Tried = {
  'test/http/time-limits.test.ts': [
    'whose %s arrives in time gets its report',
    'whose %s arrives late gets request-timeout',
  ],
}
/** A test that tries several limits at once. */
export const MANY_PARTS =
  'the maximum of parameters and columns, with the longest values and titles and %s quotes'

const CONTROL: Tried = {
  'src/control/open-control-socket.test.ts': [
    'closes the oldest silent connection for a new one, and each that sends no line in time',
    'limits running commands',
  ],
}

const FILES: Tried = {
  'src/http/connections.test.ts': ['leave the engine its open files'],
  'test/http/connection-limits.test.ts': [
    'refuses more connections than the open files allow, and continues running reports',
  ],
}

/** The limits of the package. */
export const LIMITS_TRIED: Readonly<Record<string, Tried>> = {
  viewMinutesMax: {
    'test/commands/console.test.ts': ['link takes the minutes of a link, up to a day'],
  },
  importedPieceBytes: {
    'test/import/import-corruption.long.test.ts': ['reads a file in several pieces'],
  },
  comparedRowsMax: {
    'test/import/import-corruption.long.test.ts': ['reads a file in several pieces'],
  },
  importedRowBytesMax: {
    'test/import/import-refusals.test.ts': [
      'are refused for bytes that are not UTF-8, and for their length',
    ],
  },
  bodyBytesMax: {
    'test/authentication/problems.test.ts': [
      'of exactly 1 MiB is taken, and one byte more is too large',
    ],
    'test/http/malformed.test.ts': ['takes bodies up to the limit, and refuses larger ones'],
  },
  smallBodyBytesMax: {
    'test/http/bounded-bodies.test.ts': ['do not block an ordinary request'],
  },
  largeRequestBytesMin: {
    'src/report/large-requests.test.ts': ['does not delay small requests'],
  },
  ...CONNECTIONS_TRIED,
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
    'test/http/bounded-bodies.test.ts': ['are refused when the memory for bodies is used up'],
  },
  bodyPiecesMax: {
    'test/http/bounded-bodies.test.ts': [
      'refuses a body in too many one-byte chunks, with little work',
      'takes a body in as many pieces as the limit allows',
    ],
  },
  emptyBodyBytesMax: {
    'test/http/bounded-bodies.test.ts': ['refuses before the body arrives'],
  },
  headerBytesMax: {
    'test/http/malformed.test.ts': ['takes headers up to 16 KiB, and refuses larger ones'],
  },
  headersMax: {
    'test/http/strange-requests.test.ts': ['the gateway takes as many headers as the limit allows'],
  },
  headersTimeoutMs: TIMES,
  requestTimeoutMs: TIMES,
  checkConnectionsMs: TIMES,
  lingerMs: {
    'test/http/leaving-callers.test.ts': [
      'closes a connection that sent %s, although the caller never ends it',
    ],
  },
  replyTimeoutMs: {
    'src/http/reply.test.ts': ['closes the connection of a caller that does not read its reply'],
  },
  replyPieceBytes: {
    'src/http/reply.test.ts': ['to %s waits in memory by the piece until the caller reads it'],
  },
  unreadRepliesBytesMax: {
    'src/http/unread-replies.test.ts': [
      'a login that reads none of its replies loses the oldest ones, and no other caller does',
    ],
  },
  connectionsMax: {
    'src/http/connections.test.ts': [
      'are the same for any number of open files that is large enough',
    ],
  },
  connectionsPerAddressMax: {
    'src/http/connections.test.ts': [
      'are the same for any number of open files that is large enough',
    ],
  },
  addressShareMax: {
    'test/http/connection-limits.test.ts': [
      'gives one address a quarter of the connections if no proxy is declared',
    ],
  },
  connectionsShareMin: {
    'src/http/connections.test.ts': ['share too few open files with the engine'],
    'test/http/connection-limits.test.ts': ['warns of a low limit on open files'],
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
    'src/import/list-refused.test.ts': ['counts the ten most frequent reasons of refused rows'],
  },
  ...REFUSALS_TRIED,
  keepAliveTimeoutMs: {
    'test/http/time-limits.test.ts': [
      'takes the next request within the keep-alive time, and closes the connection after it',
    ],
  },
  stalledReaderMs: {
    'test/http/time-limits.test.ts': [
      'that rests for less than the limit, again and again, gets the complete report',
      'that rests for longer is cut off, and gets no complete report',
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
  newestRowsCacheMs: {
    'src/report/newest-rows.test.ts': ['reads newest rows again after a while'],
  },
  ...RUNS_TRIED,
  controlCurrenciesMax: {
    'test/report/control-totals.test.ts': [
      'gives no totals for rows of more currencies than a run records',
    ],
  },
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
    'test/report/large-scopes.long.test.ts': [
      'is complete with nine filters at once, eight of them of ${LIMITS.filterValuesMax} ids',
      'refuses one id more, and one foreign id among the others',
    ],
  },
  filterValuesListedMax: {
    'test/report/large-scopes.long.test.ts': [
      'the catalogue lists ${LIMITS.filterValuesListedMax} values of each filter, and says that there are more',
    ],
  },
  parametersMax: { 'test/http/request-limits.test.ts': [MANY_PARTS, 'elements of %s'] },
  faultsShownMax: {
    'test/http/request-limits.test.ts': [
      'lists the first of very many faults, and counts the others',
    ],
  },
  pdfTextLengthMax: {
    'test/formats/pdf.test.ts': [
      'a text beyond the limit ends in a mark, and a text of exactly the limit is complete',
    ],
  },
  pdfFactLengthMax: {
    'src/formats/pdf/pdf.test.ts': [
      'long parameters and filters are cut and do not keep others waiting',
    ],
  },
  pdfFactValueLengthMax: {
    'src/formats/pdf/pdf.test.ts': [
      'long parameters and filters are cut and do not keep others waiting',
    ],
  },
  reportNameLengthMax: {
    'test/http/request-limits.test.ts': [
      'a report’s name, in the name of its file',
      'a report’s name',
    ],
  },
  parameterLengthMax: { 'test/http/request-limits.test.ts': [MANY_PARTS, 'a parameter’s value'] },
  retryAfterSeconds: {
    'test/engine/engine-limits.long.test.ts': [
      'that needs more memory than all queries may use is refused for now, and others are completed',
    ],
  },
  activeKeysMax: {
    'test/kit/store-contract.ts': [
      'of a login are two live ones at most for each method, and a revoked one makes room',
    ],
  },
  loginLengthMax: {
    'src/commands/logins-and-keys.test.ts': [
      'may have a name of the longest length, but not a longer one',
    ],
  },
  ...KEYS_TRIED,
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
  endpointsCacheMs: {
    'src/payments/endpoints.test.ts': [
      'finds a new endpoint after a minute, and keeps the old cache if the engine is busy',
    ],
  },
  relayEveryMs: {
    'src/payments/relay.test.ts': ['relays entries without a flush, also after a failure'],
  },
  changesLagMs: {
    'src/ledger/ledger-changes.test.ts': ['the watermark of a server is older than the lag'],
  },
  relayInsertMs: {
    'src/payments/relay.test.ts': [
      'an insert has a time limit, so that the changes of a later run are seen',
    ],
  },
  relayBatchEntriesMax: {
    'src/payments/relay.test.ts': ['relays more entries than one batch holds, batch after batch'],
  },
  relayBatchBytesMax: {
    'src/payments/relay.test.ts': [
      'relays long entries in smaller batches, and an entry beyond the maximum alone',
    ],
  },
  ordersMax: {
    'test/kit/outbox-contract.ts': ['gives no number above the maximum'],
  },
  outboxRetentionMs: {
    'test/kit/outbox-contract.ts': [
      'makes entries due again that were relayed lately, and prunes older ones',
    ],
  },
  metricsConnectionsMax: {
    'test/http/metrics.test.ts': ['limits the connections to the metrics'],
  },
  readingMs: {
    'src/readings.test.ts': ['a value that does not come in time is absent'],
  },
  readyCacheMs: {
    'src/readings.test.ts': ['asks again whether the gateway is ready after a second, not before'],
  },
  ledgerLockWaitMs: {
    'test/commands/start.long.test.ts': [
      'a second gateway on the same data does not start, names the first, and does not take its commands',
    ],
  },
  serverConnectTimeoutMs: {
    'test/engine/cluster-failures.long.test.ts': [
      'a server that accepts a connection and says nothing is given up',
    ],
  },
  serverProbeEveryMs: {
    'test/engine/cluster-outages.long.test.ts': [
      'and says nothing is given up at the start',
      'and computes for a long time is not given up',
    ],
  },
  serverProbeTimeoutMs: {
    'test/engine/cluster-outages.long.test.ts': [
      'and hangs later is given up, by new queries and by results that have begun',
    ],
  },
  serverCheckMs: {
    'test/engine/cluster-outages.long.test.ts': ['and says nothing is given up at the start'],
  },
  serverKillWaitMs: {
    'test/engine/cluster-failures.long.test.ts': [
      'on a server that hangs frees its place after some seconds',
    ],
  },
  serverErrorLengthMax: {
    'test/engine/cluster-failures.long.test.ts': ['an error %s is kept in its first characters'],
  },
  storeBusyTimeoutMs: {
    'test/http/time-limits.test.ts': [
      'makes the gateway wait',
      'is an error after the time-out, and the next write succeeds',
    ],
  },
  storeConnectionsMax: {
    'src/store/postgres-database.test.ts': ['is one of few, however many statements run'],
  },
}
