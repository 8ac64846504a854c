/** The tests of the limits of keys, by the name of the limit. */
export const KEYS_TRIED = {
  controlKeyLengthMax: {
    'src/keys/credentials.test.ts': [
      'the longest control key that an operator may bring is stored',
    ],
  },
  controlKeyLengthMin: {
    'src/keys/credentials.test.ts': [
      'the fingerprint of a control key is the SHA-256 of its text',
      'a control key %j that an operator brings is refused without being shown',
    ],
  },
  keysOpenedAtOnce: {
    'src/keys/credentials.test.ts': ['opens a limited number of new keys for one request'],
  },
  openKeysMax: {
    'src/keys/credentials.test.ts': ['of more keys than are kept open, each still opens to itself'],
    'src/store/sqlite-store.long.test.ts': [
      'of whom there are more than are kept in mind are found all the same, as they are now',
    ],
  },
}
