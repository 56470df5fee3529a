import { BUILTIN_PLUGINS } from './builtin-plugins.ts'
import { HOST_VERBS } from './cli/host-verbs.ts'
import type { PluginInstance } from './contract/plugin.ts'

/** Who has a name, as a message says it. */
export const SATCHEL = 'satchel itself'

/** The listeners at which the host has paths of its own. A tool that names no listener is at the first. */
const HOST_LISTENERS: readonly string[] = ['api', 'mcp']

/** What the host serves there, under every method; a test compares them with the endpoints. */
export const HOST_PATHS: readonly string[] = [
  '/',
  '/health',
  '/ready',
  '/metrics',
  '/openapi.json',
  '/events',
  '/docs',
  '/docs/swagger-ui.css',
  '/docs/swagger-ui-bundle.js',
  '/docs/start.js',
  '/docs/style.css',
  '/docs/favicon.png',
  '/redoc',
  '/redoc/redoc.js',
  '/redoc/start.js',
  '/redoc/style.css',
  '/mcp',
  '/sse',
  '/messages',
  '/messages/',
  '/.well-known/oauth-protected-resource',
]

/** A name that a plugin of others declares although the host or a built-in plugin has it. */
export interface TakenName {
  /** `verb "serve"` */
  readonly name: string
  readonly owner: string
}

/**
 * Returns who has the verb: the host, or a built-in plugin, whose verbs run without the plugins of others. Undefined: it is
 * free. Under a word that takes commands of plugins (`bench mine`) only the commands of the host itself are taken.
 */
export async function ownerOfVerb(verb: string): Promise<string | undefined> {
  const [first = '', second] = verb.split(' ')
  const row = HOST_VERBS.find((one) => one.verb === first || one.verb === verb)
  if (row?.takesPluginCommands && second !== undefined) {
    const verbs = await row.load()
    return verbs.some(({ path }) => path[1] === second) ? SATCHEL : undefined
  }
  if (row || first === 'help') return SATCHEL
  const owner = BUILTIN_PLUGINS.find(({ verbs }) => verbs.some((one) => one.verb === first))
  return owner && `the plugin "${owner.name}"`
}

/** Finds the first verb or path of a plugin of others that is taken: the command line and the server would never reach it. */
export async function takenByHost(instance: PluginInstance): Promise<TakenName | undefined> {
  const { tools = [], commands = [], routes = [], streams = [] } = instance
  const verbs = [
    ...tools.flatMap(({ cli }) => [cli ?? []].flat().map(({ verb }) => verb)),
    ...commands.map(({ cli }) => cli),
  ]
  for (const verb of verbs) {
    const owner = await ownerOfVerb(verb)
    if (owner !== undefined) return { name: `verb "${verb}"`, owner }
  }
  const addresses = [
    ...tools.flatMap(({ http }) => [http ?? []].flat()),
    ...routes,
    ...streams.map(({ path, listeners }) => ({ method: 'GET', path, listeners })),
  ]
  const taken = addresses.find(
    ({ path, listeners = HOST_LISTENERS }) =>
      HOST_PATHS.includes(path) && listeners.some((name) => HOST_LISTENERS.includes(name)),
  )
  return taken && { name: `route "${taken.method} ${taken.path}"`, owner: SATCHEL }
}
