/** Every limit of the gateway that is not configuration. A name ends in its unit. */
export const LIMITS = {
  /** A request's body. */
  bodyBytesMax: 1024 * 1024,
  /** Bodies up to this size do not count towards `bodiesBytesMax`. */
  smallBodyBytesMax: 16 * 1024,
  /** Report requests with a larger body wait in the queue of the main thread. */
  largeRequestBytesMin: 4 * 1024,
  /** The queue of the main thread: logins whose work runs, the waiting work of a login, and how long it waits. */
  threadPlaces: 16,
  threadWaitingMax: 16,
  threadWaitMs: 5_000,
  /** After its work on the main thread, a login rests this many times as long. So it takes a fifth of the thread. */
  threadRest: 4,
  threadRestMsMax: 1_000,
  /** Memory of all larger bodies that the gateway is receiving or authenticating. */
  bodiesBytesMax: 64 * 1024 * 1024,
  /** Time to connect to a database of a source, and how long it may send nothing. */
  databaseConnectMs: 10_000,
  databaseSilentMs: 600_000,
  /** How many rows of the ledger a sync deletes without being told to, and on how many rows a source is tried. */
  syncDeletionsMax: 1_000,
  triedRowsMax: 10_000,
  /** The body of a signed request that says nothing: for the catalogue, or for a run. */
  emptyBodyBytesMax: 1024,
  /** All headers of a request together. */
  headerBytesMax: 16 * 1024,
  /** Time for the headers of a request, from its first byte. */
  headersTimeoutMs: 20_000,
  /** Time for a complete request, from its first byte. */
  requestTimeoutMs: 60_000,
  /** How often the server looks for requests that are too slow. */
  checkConnectionsMs: 5_000,
  /** Time for a caller to read an early or last reply before the gateway closes the connection. */
  lingerMs: 1_000,
  /** Unanswered requests of one connection. One more ends the connection. */
  pipelinedRequestsMax: 4,
  /** Open connections. */
  connectionsMax: 4096,
  /** Open connections of one address, unless a proxy is declared: enough for 200 operations a second. */
  connectionsPerAddressMax: 256,
  /** How long an idle connection stays open. */
  keepAliveTimeoutMs: 65_000,
  /** How long the reader of an answer may take nothing. Node notices it after this time, or after twice as long. */
  stalledReaderMs: 120_000,
  /** Unsent bytes of one report in the gateway's memory, in addition to the last chunk. */
  unsentBytesMax: 2 * 1024 * 1024,
  /** The values of one filter that the catalogue lists. */
  filterValuesListedMax: 1_000,
  /** The faults of one request that an error lists. It counts the rest. */
  faultsShownMax: 100,
  /** A parameter's value, unless its report sets another length. */
  parameterLengthMax: 4_000,
  /** The characters of a text in a PDF. A longer text ends in a mark. */
  pdfTextLengthMax: 2_000,
  /** The characters of each parameter and filter on the first page of a PDF, and of each of its values. */
  pdfFactLengthMax: 400,
  pdfFactValueLengthMax: 100,
  /** Seconds in `Retry-After`. */
  retryAfterSeconds: 5,
  /** The characters of the base string that a refusal shows. It ends after the last parameter that fits. */
  shownBaseStringLengthMax: 4_096,
  /** The refused requests that the gateway keeps in memory for the operator, and the bytes of each. */
  refusedRequestsMax: 256,
  refusedRequestBytesMax: 32 * 1024,
  /** The characters of the reason that a refusal gives. */
  refusalReasonLengthMax: 500,
  /** The active keys of a login for each method: two, so that an operator can rotate a key without a pause. */
  activeKeysMax: 2,
  /** How often the gateway writes the last use of a key to the store. */
  keyUsesEveryMs: 60_000,
  /** The name of a login. */
  loginLengthMax: 128,
  /** The minutes of a view session, and of a link that begins one. */
  viewMinutesMax: 24 * 60,
  /** The minimum length of a control key that an operator adds from a file. */
  controlKeyLengthMin: 16,
  /** Its maximum length. */
  controlKeyLengthMax: 512,
  /** A file that holds a key. */
  keyFileBytesMax: 64 * 1024,
  /** The picture of a letterhead, which every statement holds. */
  logoBytesMax: 256 * 1024,
  /** A configuration or a report file. */
  yamlFileBytesMax: 256 * 1024,
  /** The report files of a folder. */
  reportFilesMax: 500,
  /** The currencies of a report's amounts. The record of a run with more has no control totals. */
  controlCurrenciesMax: 1_000,
  /** How often a report and its control totals begin again because the ledger changed between the two. */
  controlTotalsAttemptsMax: 3,
  /** How often the gateway writes the records of runs to the store, and how many at a time. */
  runsSavedEveryMs: 200,
  runsSavedMax: 1_000,
  /** The length of the records that wait in memory while the store is away. The oldest ones are lost then. */
  unsavedRunsLengthMax: 32 * 1024 * 1024,
  /** How often the gateway deletes old records of runs, and how many at a time. Deleting them takes about 10 ms. */
  runsForgottenEveryMs: 60 * 60 * 1000,
  runsForgottenMax: 500,
  /** After so many new records of a login, the gateway deletes those beyond `runs.perLoginMax`. */
  runsOfLoginAddedMax: 1_000,
  /** How long a request for a run waits for the end of the run and for its record. */
  runWaitMs: 5_000,
  /** The bytes of the records in one answer. Reading them takes about 2 ms. */
  runPageBytesMax: 256 * 1024,
  /** The length of a request in the record of its run, as JSON. The record of a longer one lacks it. */
  recordedRequestLengthMax: 4 * 1024,
  /** The control totals in the record of a run, as JSON. The record of a run with longer ones lacks them. */
  recordedTotalsBytesMax: 64 * 1024,
  /** How long the store remembers a nonce after its timestamp. */
  nonceKeptSeconds: 360,
  /** The expired nonces that the store prunes when a nonce is spent. Above 1, so that a rush leaves no backlog. */
  noncesForgottenMax: 16,
  /** How long the gateway caches endpoints. Names in reports may be as old as that too. */
  endpointsCacheMs: 60_000,
  /** How long the gateway caches the times of newest rows, and for how many logins and tables. */
  newestRowsCacheMs: 10_000,
  newestRowsMax: 10_000,
  /** With a ClickHouse server: the age at which a change is in the result of `changedSince`. */
  changesLagMs: 60_000,
  /** Time for an insert of the relay. Together with the difference of clocks, it is less than `changesLagMs`. */
  relayInsertMs: 30_000,
  /** How often the relay inserts accepted operations into the ledger. A report makes it insert them at once. */
  relayEveryMs: 1_000,
  /** The outbox entries that the relay inserts at a time. */
  relayBatchEntriesMax: 5_000,
  /** The bytes of their rows. An insert takes the process about 100 times as much memory. */
  relayBatchBytesMax: 4 * 1024 * 1024,
  /** How long the outbox keeps a relayed entry. The ledger has written it to disk by then. */
  outboxRetentionMs: 10 * 60 * 1000,
  /** The orders of a sandbox. Each order has ten ids of a range that imports refuse. */
  ordersMax: 999_999_999,
  /** A row of an imported file. */
  importedRowBytesMax: 1024 * 1024,
  /** The rows of an import that are compared with the ledger at a time. */
  comparedRowsMax: 500_000,
  /** Open connections to the metrics. */
  metricsConnectionsMax: 16,
  /** How long the gateway waits for a value of its metrics, or for the answer to "is it ready?". */
  readingMs: 5_000,
  /** How long the gateway caches its metrics, and whether it is ready. */
  readyCacheMs: 1_000,
  /** How long `jwks.json` shows the same keys of manifests. */
  jwksCacheMs: 10_000,
  /** The checks of report files that a gateway remembers. */
  rememberedChecksMax: 1_000,
  /** The most frequent reasons for refused rows that an import prints. */
  reasonsShownMax: 10,
  /** How long a start waits for another process to close the ledger. */
  ledgerLockWaitMs: 10_000,
  /** Time for a connection to a ClickHouse server. After that, the gateway asks the next server. */
  serverConnectTimeoutMs: 3_000,
  /** How long a query waits while the gateway's own ClickHouse server starts again. */
  ownServerStartMs: 10_000,
  /** How long reports wait for the repair of a change of the ledger that failed. */
  brokenChangeWaitMs: 10_000,
  /** How often the gateway asks the server of a running query whether it is alive, and the time for its answer. */
  serverProbeEveryMs: 5_000,
  serverProbeTimeoutMs: 10_000,
  /** Time for each of the two queries that check the rights on a ClickHouse server. */
  serverCheckMs: 10_000,
  /** How long the gateway waits for the end of a killed query before it closes the query's connection. */
  serverKillWaitMs: 5_000,
  /** The characters of a ClickHouse server's error that the gateway keeps. */
  serverErrorLengthMax: 16_384,
  /** How long a process waits for the store: for another process that writes, a connection, or a statement. */
  storeBusyTimeoutMs: 5_000,
  /** The connections of a gateway to the PostgreSQL that holds its store. */
  storeConnectionsMax: 10,
} as const
