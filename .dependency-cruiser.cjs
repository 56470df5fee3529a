/** Who may import whom. scripts/check-layers.ts breaks each rule once and asserts that it is found. */
/**
 * plugins/modules from the bottom up: a folder imports only itself and folders before it. `reasons.ts`, `config.ts` and
 * `errno.ts` are open to all but `domain`; the other files beside `index.ts` are the top.
 */
const MODULES_LAYERS = [
  'domain',
  'hcl',
  'git',
  'registry',
  'segments',
  'output',
  'catalog',
  'search',
  'shared',
  'ingest',
  'service',
  'answers',
  'tools',
]

/** plugins/handoff: the folders that each folder may import beside itself, and the files beside `index.ts`. */
const HANDOFF_FOLDERS = {
  store: { folders: ['domain'], files: ['reasons'] },
  files: { folders: ['domain'], files: ['reasons'] },
  git: { folders: ['domain'], files: ['reasons'] },
  actions: {
    folders: ['domain', 'store', 'files', 'git'],
    files: ['reasons', 'config', 'project', 'session'],
  },
  tools: { folders: ['domain', 'store', 'actions'], files: ['reasons', 'config', 'project', 'session'] },
}

/** plugins/workspace from the bottom up: a folder imports no folder after it. */
const WORKSPACE_LAYERS = [
  'domain',
  'analysis',
  'engine',
  'room',
  'connection',
  'tools',
  'routes',
  'owner',
  'commands',
]

const core = (names) => `^(node:)?(${names})$`

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'plugins-are-islands',
      comment: 'Remove a folder, nothing else breaks.',
      severity: 'error',
      from: { path: '^plugins/([^/]+)/' },
      to: { path: '^plugins/([^/]+)/', pathNot: '^plugins/$1/' },
    },
    {
      name: 'plugins-use-one-door',
      comment: 'Built-in plugins live like npm ones.',
      severity: 'error',
      from: { path: '^plugins/' },
      to: { path: '^server/', pathNot: '^server/plugin\\.ts$' },
    },
    {
      name: 'server-knows-no-plugin',
      comment: 'Contract only.',
      severity: 'error',
      from: { path: '^server/', pathNot: '^server/builtin-plugins\\.ts$' },
      to: { path: '^plugins/' },
    },
    {
      name: 'product-knows-no-lab',
      comment: 'Delete lab/ and the two lines that name it in host-verbs.ts, and the rest builds.',
      severity: 'error',
      from: { path: '^(server|plugins|generated)/', pathNot: '^server/cli/host-verbs\\.ts$' },
      to: { path: '^lab/' },
    },
    {
      name: 'contract-is-the-bottom',
      comment: 'Readable alone.',
      severity: 'error',
      from: { path: '^server/contract/' },
      to: { path: '^(server|plugins|lab|generated|scripts|test)/', pathNot: '^server/contract/' },
    },
    {
      name: 'platform-knows-the-contract-only',
      comment: 'Server and plugins build on it.',
      severity: 'error',
      from: { path: '^server/platform/' },
      to: { path: '^(server|plugins|generated|scripts|test|lab)/', pathNot: '^server/(contract|platform)/' },
    },
    {
      name: 'doors-are-siblings',
      comment: 'run.ts passes what they share.',
      severity: 'error',
      from: { path: '^server/(mcp|http|cli)/' },
      to: { path: '^server/(mcp|http|cli)/', pathNot: '^server/$1/' },
    },
    {
      name: 'only-mcp-speaks-mcp',
      comment: 'An SDK change is one folder.',
      severity: 'error',
      from: { path: '^(server|plugins)/', pathNot: '^server/mcp/' },
      to: { path: 'node_modules/@modelcontextprotocol/' },
    },
    {
      name: 'only-http-speaks-hono',
      severity: 'error',
      from: { path: '^(server|plugins)/', pathNot: '^server/http/' },
      to: { path: 'node_modules/(hono|@hono)/' },
    },
    {
      name: 'only-cli-speaks-commander',
      severity: 'error',
      from: { path: '^(server|plugins)/', pathNot: '^server/cli/' },
      to: { path: 'node_modules/commander/' },
    },
    {
      name: 'domain-knows-no-wire',
      comment: 'Pure, instant tests; clock, random, ids and facts come in as arguments.',
      severity: 'error',
      from: { path: '^plugins/([^/]+)/domain/' },
      to: { path: '^plugins/$1/', pathNot: '^plugins/$1/(domain/|reasons\\.ts$)' },
    },
    {
      name: 'domain-knows-no-wire-packages',
      severity: 'error',
      from: { path: '^plugins/[^/]+/domain/' },
      to: {
        path: `node_modules/(zod|@modelcontextprotocol)/|${core('https?|net|fs|fs/promises|child_process')}`,
      },
    },
    {
      name: 'heavy-only-in-lazy-files',
      comment: 'vectra alone costs 0.6-1.7 s to import.',
      severity: 'error',
      from: { path: '^(server|plugins|lab)/', pathNot: '\\.(lazy|d)\\.ts$' },
      to: {
        path: '(^|node_modules/)(vectra|jose|modern-tar|yauzl|@opentelemetry|pg|sql\\.js|chromadb|@cdktf/hcl2json|@huggingface/transformers)(/|$)',
      },
    },
    {
      name: 'lazy-files-only-by-import()',
      comment: 'The file name carries the rule; it holds bundled, unbundled and from sources.',
      severity: 'error',
      from: { path: '^(server|plugins|lab)/' },
      to: { path: '\\.lazy\\.ts$', dependencyTypesNot: ['dynamic-import'] },
    },
    {
      name: 'generated-is-a-leaf',
      severity: 'error',
      from: { path: '^generated/' },
      to: { path: '^(server|plugins|lab|scripts|test)/' },
    },
    ...MODULES_LAYERS.map((layer, at) => ({
      name: `modules-layer-${layer}`,
      comment: 'plugins/modules is read from the bottom up: no folder imports one above it.',
      severity: 'error',
      from: { path: `^plugins/modules/${layer}/` },
      to: {
        path: '^plugins/modules/',
        pathNot: `^plugins/modules/((${MODULES_LAYERS.slice(0, at + 1).join('|')}|assets|testdata)/|(reasons|config|errno)\\.ts$)`,
      },
    })),
    {
      name: 'modules-layers-are-all',
      comment: 'Every folder of plugins/modules has its place in MODULES_LAYERS.',
      severity: 'error',
      from: { path: `^plugins/modules/(?!(${MODULES_LAYERS.join('|')}|testing)/)[^/]+/` },
      to: {},
    },
    {
      name: 'modules-foundation',
      comment: 'What every folder may import imports none of them.',
      severity: 'error',
      from: { path: '^plugins/modules/(reasons|config|errno)\\.ts$' },
      to: { path: '^plugins/modules/.+/' },
    },
    ...WORKSPACE_LAYERS.slice(0, -1).map((folder, at) => ({
      name: `workspace-layer-${folder}`,
      comment: 'plugins/workspace is read from the bottom up.',
      severity: 'error',
      from: { path: `^plugins/workspace/${folder}/` },
      to: { path: `^plugins/workspace/(${WORKSPACE_LAYERS.slice(at + 1).join('|')})/` },
    })),
    {
      name: 'workspace-folders-are-all',
      comment: 'Every folder of plugins/workspace has its place in WORKSPACE_LAYERS.',
      severity: 'error',
      from: { path: `^plugins/workspace/(?!(${WORKSPACE_LAYERS.join('|')}|testing)/)[^/]+/` },
      to: {},
    },
    ...Object.entries(HANDOFF_FOLDERS).map(([folder, { folders, files }]) => ({
      name: `handoff-folder-${folder}`,
      comment: 'plugins/handoff: records and stores know no action, actions no tool.',
      severity: 'error',
      from: { path: `^plugins/handoff/${folder}/` },
      to: {
        path: '^plugins/handoff/',
        pathNot: `^plugins/handoff/((${[folder, ...folders].join('|')})/|(${files.join('|')})\\.ts$)`,
      },
    })),
    {
      name: 'handoff-folders-are-all',
      comment: 'Every folder of plugins/handoff has its row in HANDOFF_FOLDERS.',
      severity: 'error',
      from: {
        path: `^plugins/handoff/(?!(domain|${Object.keys(HANDOFF_FOLDERS).join('|')}|testing)/)[^/]+/`,
      },
      to: {},
    },
    {
      name: 'handoff-project-is-below-actions',
      severity: 'error',
      from: { path: '^plugins/handoff/(reasons|config|project|session)\\.ts$' },
      to: {
        path: '^plugins/handoff/(actions|tools|[^/]+\\.ts$)',
        pathNot: '/(reasons|config|project)\\.ts$',
      },
    },
    {
      name: 'handoff-checks-are-the-top-of-the-domain',
      severity: 'error',
      from: { path: '^plugins/handoff/domain/[^/]+\\.ts$' },
      to: { path: '^plugins/handoff/domain/checks/' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-unresolvable',
      comment: 'The optional peers are installed by the tests that use them.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^(chromadb|@huggingface/transformers)$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.test\\.ts$|/(testdata|testing)/' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
  },
}
