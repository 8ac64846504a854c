/** The tests of the limits of connections, by the name of the limit. */
export const CONNECTIONS_TRIED = {
  newConnectionsMax: {
    'test/http/connection-limits.test.ts': ['limits how often one address connects'],
  },
  connectionsWindowMs: {
    'test/http/connection-limits.test.ts': ['limits how often one address connects'],
  },
  costlyConnectionCost: {
    'test/http/connection-limits.test.ts': [
      'closes all connections of an address that sends too many requests at once again and again',
    ],
  },
  keyUpdatesMax: {
    'test/http/https.test.ts': [
      'closes a connection that updates its keys too often, and in the end all connections of its address',
    ],
  },
  pipelinedRequestsMax: {
    'test/http/strange-requests.test.ts': [
      'the gateway ends a connection with too many requests at once, with little work',
    ],
  },
}
