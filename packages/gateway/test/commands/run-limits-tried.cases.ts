/** The tests of the limits of runs, by the name of the limit. */
export const RUNS_TRIED = {
  runsSavedEveryMs: {
    'src/runs/run-recorder.test.ts': ['waits for the end of a run, and for its record'],
  },
  runsSavedMax: {
    'src/runs/run-recorder.test.ts': ['writes more records than a batch has when it closes'],
  },
  unsavedRunsLengthMax: {
    'src/runs/run-recorder.test.ts': [
      'loses the oldest records of a store that is away for too long, and says so',
    ],
  },
  runsForgottenEveryMs: {
    'src/runs/run-recorder.test.ts': [
      'deletes the records of runs that are older than the configuration says',
    ],
  },
  runsForgottenMax: {
    'test/kit/run-store-contract.ts': ['are forgotten, the oldest first'],
  },
  runsOfLoginAddedMax: {
    'src/runs/run-recorder.test.ts': ['keeps a limited number of records of a login that has many'],
  },
  runWaitMs: {
    'src/runs/run-recorder.test.ts': [
      'waits neither for a run of another gateway nor longer than its caller',
    ],
  },
  jwksCacheMs: {
    'src/runs/manifest-keys.test.ts': ['shows the key of another gateway after a while'],
  },
  runsListedMax: { 'test/runs/runs.test.ts': ['refuses a faulty request for the list'] },
  runPageBytesMax: { 'test/runs/runs.test.ts': ['ends a page of long records early'] },
  recordedRequestLengthMax: {
    'test/runs/runs.test.ts': ['lacks a request that is very long'],
  },
  recordedTotalsBytesMax: {
    'src/report/recorded-totals.test.ts': [
      'the record of a run lacks totals that long titles make very long',
    ],
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
