// Who may import whom: docs/architecture.md draws it, `npm run boundaries` holds it.

/** The packages, and what each may import of the others; `index.ts` is the only way in. */
const PACKAGES = {
  signing: [],
  protocol: [],
  'pdf-writer': [],
  client: ['signing', 'protocol'],
  counterfoil: ['signing', 'protocol', 'client'],
  'sample-data': ['signing', 'protocol', 'client', 'gateway'],
  console: ['signing', 'protocol', 'client'],
  gateway: ['signing', 'protocol', 'pdf-writer', 'client', 'sample-data', 'console'],
}

/** The gateway's layers, from the top: a part imports only from the layers below its own. */
const LAYERS = [
  ['main.ts', 'index.ts'],
  ['commands/'],
  ['gateway.ts'],
  ['paths.ts', 'readings.ts', 'reload.ts', 'open-engine.ts'],
  ['console/', 'openapi/'],
  ['http/'],
  ['report/', 'payments/'],
  ['runs/', 'view-sessions/'],
  ['templates/'],
  ['import/'],
  ['ledger/', 'formats/'],
  ['authenticate/', 'engine/', 'config/', 'control/'],
  ['clickhouse/'],
  ['column-kinds.ts'],
  ['keys/'],
  ['store/'],
  ['outcome.ts'],
  ['observe/'],
  ['read-private-file.ts'],
  ['parse-json.ts'],
  ['fair-queue.ts'],
  ['errors.ts'],
  ['unless-aborted.ts', 'instants.ts', 'free-memory.ts', 'turn.ts'],
  ['share-for.ts', 'without-card-number.ts'],
  ['zone-clock.ts', 'limits.ts', 'shipped-reports.ts'],
]

/** Packages that one place of the gateway alone may import, so that they can be replaced there. */
const KEPT_IN = {
  fastify: 'http/',
  chdb: 'engine/',
  'ffi-rs': 'engine/',
  'node:sqlite': 'store/',
  'prom-client': 'observe/',
  pg: 'store/',
  kysely: 'store/',
}

const GATEWAY = '^packages/gateway/src/'
const TESTS = '[.]test[.]ts$|^packages/[^/]+/test/'

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no circle', from: {}, to: { circular: true } },
    { name: 'no unresolved', from: {}, to: { couldNotResolve: true } },
    ...Object.entries(PACKAGES).map(packageRule),
    {
      name: 'packages through index.ts',
      from: { path: '^packages/([^/]+)/', pathNot: TESTS },
      to: { path: '^packages/', pathNot: ['^packages/$1/', '^packages/[^/]+/src/index[.]ts$'] },
    },
    {
      name: 'client and sample-data only in commands/',
      from: { path: GATEWAY, pathNot: [TESTS, `${GATEWAY}commands/`] },
      to: { path: '^packages/(client|sample-data)/' },
    },
    {
      name: 'signing depends on nothing',
      from: { path: '^packages/signing/src/', pathNot: TESTS },
      to: { pathNot: '^packages/signing/src/', dependencyTypesNot: ['core'] },
    },
    ...LAYERS.map(layerRule),
    {
      name: 'layer unknown',
      comment: 'Add the new part of the gateway to a layer in .dependency-cruiser.mjs.',
      from: { path: GATEWAY, pathNot: [TESTS, ...LAYERS.flat().map(inGateway)] },
      to: {},
    },
    ...Object.entries(KEPT_IN).map(keptInRule),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: '(^|/)node_modules/' },
    // The page as Vite builds it.
    exclude: { path: '^packages/console/static/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node'] },
  },
}

/** @param {[string, string[]]} entry */
function packageRule([name, imported]) {
  const allowed = [name, ...imported].join('|')
  return {
    name: `package ${name}`,
    // Tests of the console start a gateway. A test of the gateway runs the merchants' command.
    from: { path: `^packages/${name}/`, pathNot: '^packages/(console|gateway)/test/' },
    to: { path: '^packages/', pathNot: `^packages/(${allowed})/` },
  }
}

/**
 * @param {string[]} layer
 * @param {number} index
 */
function layerRule(layer, index) {
  const below = LAYERS.slice(index + 1).flat()
  return {
    name: `layer ${layer.join(' ')}`,
    from: { path: `${GATEWAY}(${layer.map(literal).join('|')})`, pathNot: TESTS },
    to: { path: GATEWAY, pathNot: [`${GATEWAY}$1`, ...below.map(inGateway)] },
  }
}

/** @param {[string, string]} entry */
function keptInRule([imported, place]) {
  return {
    name: `${imported} only in ${place}`,
    from: { path: GATEWAY, pathNot: [TESTS, inGateway(place)] },
    to: { path: `(^|/)${imported}(/|$)` },
  }
}

/** @param {string} part */
function inGateway(part) {
  return `${GATEWAY}${literal(part)}`
}

/** @param {string} text */
function literal(text) {
  return text.replaceAll('.', '[.]')
}
