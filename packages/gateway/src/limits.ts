/** Every maximum of the gateway that is not configuration. Sizes in bytes, times in milliseconds or seconds by name. */
export const LIMITS = {
  /** A request's body. */
  bodyBytesMax: 1024 * 1024,
  /** Bodies up to this size are received without using `bodiesBytesMax`. */
  smallBodyBytesMax: 16 * 1024,
  /** A report request of a larger body than this waits for its turn. */
  largeRequestBytesMin: 4 * 1024,
  /** Time from one such request of a login to the next one, and the longest that one waits for it. */
  largeRequestRestMs: 500,
  largeRequestWaitMs: 2_000,
  /** Memory of all larger bodies that are still being received or authenticated. */
  bodiesBytesMax: 64 * 1024 * 1024,
  /** Pieces in which a body may arrive, besides one for every 64 bytes. */
  bodyPiecesMax: 4096,
  /** Body of a catalogue request. */
  emptyBodyBytesMax: 1024,
  /** Headers of a request, all together. */
  headerBytesMax: 16 * 1024,
  /** The headers of a request, from its first byte. */
  headersTimeoutMs: 20_000,
  /** A whole request, from its first byte. */
  requestTimeoutMs: 60_000,
  /** How late a request that is too slow may be found out. */
  checkConnectionsMs: 5_000,
  /** Time that the gateway leaves a caller to read an early or last reply before it closes the connection. */
  lingerMs: 1_000,
  /** Time in which a caller must take the rest of a reply that is written. */
  replyTimeoutMs: 30_000,
  /** Open connections, whatever the process may open. */
  connectionsMax: 4096,
  /** New connections from one address within `connectionsWindowMs`, where no proxy is declared. */
  newConnectionsMax: 2_000,
  connectionsWindowMs: 10_000,
  /** Requests of one connection that wait for their answers; one more ends the connection. */
  pipelinedRequestsMax: 4,
  /** Share of the connections that one address gets where no proxy is declared. */
  addressShareMax: 0.25,
  /** Open files that the process keeps for itself: data, logs, libraries. */
  ownFilesMax: 256,
  /** Open files that one running report may need in the engine. */
  filesPerReportMax: 192,
  /** Share of the open files that connections get where reports need more than the rest. */
  connectionsShareMin: 0.25,
  /** A connection that waits for its next request. */
  keepAliveTimeoutMs: 65_000,
  /** Time that a reader of a report may rest, and by which it may fall behind `readerBytesPerSecondMin`. */
  stalledReaderMs: 120_000,
  /** Bytes of a running report that wait for its reader in the gateway's memory, besides the last chunk. */
  unsentBytesMax: 2 * 1024 * 1024,
  /** The same of all reports together: beyond it each report waits until its reader has taken every chunk. */
  unsentBytesOfAllMax: 64 * 1024 * 1024,
  /** Rate below which a reader of a report falls behind. */
  readerBytesPerSecondMin: 16 * 1024,
  /** Time that a report whose caller has left keeps its place. */
  abandonedPlaceMs: 1_000,
  /** Bytes and time up to which a running report counts as small. */
  smallReportBytesMax: 1024 * 1024,
  smallReportMsMax: 1_000,
  /** The ids of one filter. */
  filterValuesMax: 10_000,
  /** The elements of one of the envelope's arrays of parameters. */
  parametersMax: 200,
  /** The faults of one request that its caller is told of; more are counted. */
  faultsToldMax: 100,
  /** A report's name. */
  reportNameLengthMax: 200,
  /** A parameter's value, where its report sets no other length. */
  parameterLengthMax: 4_000,
  /** Seconds in `Retry-After`. */
  retryAfterSeconds: 5,
  /** The base string that a refusal shows, in characters; what is beyond the last parameter that fits is left out. */
  shownBaseStringLengthMax: 4_096,
  /** The reason that a refusal gives, in characters. */
  refusalReasonLengthMax: 500,
  /** The active keys of a login: two, so that one can be replaced by the next. */
  liveKeysMax: 2,
  /** A login. */
  loginLengthMax: 128,
  /** The fewest characters of a control key that an operator brings. */
  controlKeyLengthMin: 16,
  /** The keys that are kept open between requests: two for each of 50,000 logins, about 1 KB each. */
  openKeysMax: 100_000,
  /** A file that holds a key. */
  keyFileBytesMax: 64 * 1024,
  /** A configuration, a mapping of columns, or a report file. */
  yamlFileBytesMax: 256 * 1024,
  /** The report files of a folder. */
  reportFilesMax: 500,
  /** A nonce is remembered for so long after its timestamp. */
  nonceKeptSeconds: 360,
  /** The nonces that are forgotten when one is spent: more than one, so that a rush leaves no heap behind. */
  noncesForgottenMax: 16,
  /** Endpoints are read anew after so long; names in reports are as old as that as well. */
  endpointsKeptMs: 60_000,
  /** The times of newest rows are read anew after so long; one for each login and table is remembered. */
  newestRowsKeptMs: 10_000,
  newestRowsMax: 10_000,
  /** How often the relay inserts accepted operations into the ledger; a report makes it do so at once. */
  relayEveryMs: 1_000,
  /** The outbox entries that the relay inserts at a time. */
  relayBatchEntriesMax: 5_000,
  /** How long the outbox keeps a relayed entry: the ledger's part of it reaches the disk meanwhile. */
  outboxRetentionMs: 10 * 60 * 1000,
  /** The orders of a sandbox. Each has ten ids of a range; no import takes ids of that range. */
  ordersMax: 999_999_999,
  /** A row of a file that is imported: without one, a quote left open would take the file's rest into memory. */
  importedRowBytesMax: 1024 * 1024,
  /** A line of the control socket. */
  controlLineBytesMax: 1024 * 1024,
  /** How long a line of the control socket may take to arrive, or to be read. */
  controlLineTimeoutMs: 5_000,
  /** Connections to the control socket at once. */
  controlConnectionsMax: 8,
  /** How many checks of report files a gateway remembers. */
  rememberedChecksMax: 1_000,
  /** The most frequent reasons for refused rows that an import prints. */
  reasonsShownMax: 10,
  /** How long a start waits for another process to close the ledger. */
  ledgerLockWaitMs: 10_000,
  /** What a process waits for another one that writes to the same store. */
  storeBusyTimeoutMs: 5_000,
} as const
