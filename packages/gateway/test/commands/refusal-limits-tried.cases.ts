const KEPT = 'src/authenticate/refused-requests.test.ts'

/** The tests of the limits of refusals, by the name of the limit. */
export const REFUSALS_TRIED = {
  shownBaseStringLengthMax: {
    'src/authenticate/refusal-message.test.ts': [
      'is shown up to the last parameter that fits, and the rest is counted',
    ],
  },
  refusedRequestsMax: { [KEPT]: ['keeps the last requests'] },
  refusedBytesMax: { [KEPT]: ['keeps fewer requests if they are large'] },
  refusedRequestBytesMax: {
    [KEPT]: ['keeps why a request was refused, and nothing else, if the request is too large'],
  },
  diagnosesMax: {
    'src/authenticate/diagnosis-share.test.ts': [
      'runs no more than the maximum at once, and then a few each second',
    ],
  },
  diagnosesPerSecondMax: {
    'src/authenticate/diagnosis-share.test.ts': [
      'runs no more than the maximum at once, and then a few each second',
    ],
  },
  refusalReasonLengthMax: {
    'src/authenticate/refusal-message.test.ts': [
      'truncates a long reason, and shows no part of a card number',
    ],
  },
}
