/** The tests of the limits of refusals, by the name of the limit. */
export const REFUSALS_TRIED = {
  shownBaseStringLengthMax: {
    'src/authenticate/refusal-message.test.ts': [
      'is shown up to the last parameter that fits, and the rest is counted',
    ],
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
