/** Every maximum of the gateway that is not configuration. Sizes in bytes, times in milliseconds or seconds by name. */
export const LIMITS = {
  /** A request's body. */
  bodyBytesMax: 1024 * 1024,
  /** A request's headers, all together. */
  headerBytesMax: 16 * 1024,
  /** The headers of a request, from its first byte. */
  headersTimeoutMs: 20_000,
  /** A whole request, from its first byte. */
  requestTimeoutMs: 60_000,
  /** How late a request that is too slow may be found out. */
  checkConnectionsMs: 5_000,
  /** A connection that was told that what it sent is no HTTP, to read that and to end. */
  malformedLingerMs: 1_000,
  /** A connection that waits for its next request. */
  keepAliveTimeoutMs: 65_000,
  /** A reader that takes nothing of its report for so long is cut off. */
  stalledReaderMs: 120_000,
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
  /** What a caller that is told to wait is told to wait. */
  retryAfterSeconds: 5,
  /** The live keys of a consumer: two, so that one can be replaced by the next. */
  liveKeysMax: 2,
  /** A login. */
  loginLengthMax: 128,
  /** The fewest characters of a control key that an operator brings. */
  controlKeyLengthMin: 16,
  /** The keys that are kept open between requests. */
  openKeysMax: 10_000,
  /** A file that holds a key. */
  keyFileBytesMax: 64 * 1024,
  /** A nonce is remembered for so long after its timestamp. */
  nonceKeptSeconds: 360,
  /** The nonces that are forgotten when one is spent: more than one, so that a rush leaves no heap behind. */
  noncesForgottenMax: 16,
  /** Endpoints are read anew after so long; names in reports are as old as that as well. */
  endpointsKeptMs: 60_000,
  /** How often accepted operations are brought to the ledger, where no report asks for them before. */
  bringEveryMs: 1_000,
  /** The entries of the journal that are brought to the ledger at a time. */
  broughtAtOnceMax: 5_000,
  /** An entry that was brought is kept for so long: the ledger's part of it reaches the disk meanwhile. */
  broughtKeptMs: 10 * 60 * 1000,
  /** A row of a file that is imported: without one, a quote left open would take the file's rest into memory. */
  importedRowBytesMax: 1024 * 1024,
  /** What a process waits for another one that writes to the same store. */
  storeBusyTimeoutMs: 5_000,
} as const
