// Who may import whom: docs/architecture.md draws it, `npm run boundaries` holds it.

/** The packages, and what each may import of the others; `index.ts` is the only way in. */
const PACKAGES = {
  signing: [],
  protocol: [],
  client: ['signing', 'protocol'],
  counterfoil: ['signing', 'protocol', 'client'],
  console: ['signing', 'protocol', 'client'],
  common: ['protocol'],
  databases: ['common', 'engine'],
  engine: ['protocol', 'common'],
  store: ['signing', 'common'],
  ledger: ['protocol', 'common', 'databases', 'engine'],
  formats: ['protocol', 'common', 'engine'],
  templates: ['protocol', 'common', 'engine', 'ledger', 'formats'],
  'sample-data': ['common', 'engine', 'ledger'],
  gateway: [
    'signing',
    'protocol',
    'client',
    'console',
    'common',
    'databases',
    'engine',
    'store',
    'ledger',
    'formats',
    'templates',
    'sample-data',
  ],
}

/** The gateway's layers, from the top: a part imports only from the layers below its own. */
const LAYERS = [
  ['main.ts'],
  ['commands/'],
  ['demo/'],
  ['serve/'],
  ['console/', 'openapi/'],
  ['http/'],
  ['report/', 'payments/'],
  ['runs/', 'view-sessions/'],
  ['authenticate/', 'config/', 'control/'],
  ['outcome/'],
  ['observe/'],
]

/** Packages that one place alone may import, so that they can be replaced there. */
const KEPT_IN = {
  fastify: 'packages/gateway/src/http/',
  'prom-client': 'packages/gateway/src/observe/',
  chdb: 'packages/engine/src/own-server/',
  'ffi-rs': 'packages/engine/src/own-server/',
  pg: 'packages/(store/src/database|databases/src)/',
  mysql2: 'packages/databases/src/',
  pdfkit: 'packages/formats/src/pdf/',
  yazl: 'packages/formats/src/xlsx/',
}

const GATEWAY = '^packages/gateway/src/'
const TESTS = '[.](test|cases)[.]ts$|^packages/[^/]+/test/'

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
      name: 'client and sample-data only in commands/ and demo/',
      from: { path: GATEWAY, pathNot: [TESTS, `${GATEWAY}(commands|demo)/`] },
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
    // Tests use the kit of the gateway's tests, and run the merchants' command.
    from: { path: `^packages/${name}/`, pathNot: TESTS },
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
    from: { path: '^packages/[^/]+/src/', pathNot: [TESTS, `^${place}`] },
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
