import type { z } from 'zod'
import { nearest, readRegularFile, readYaml } from '../../../server/plugin.ts'
import {
  CONFIG_MAX_BYTES,
  embeddingOptions,
  MODULES_ENV,
  type ModulesConfig,
  mcpOptions,
  modulesConfig,
  repositoryEntry,
} from '../config.ts'
import { refusals } from '../reasons.ts'

const MAX_ALIASES = 100

/** Keys of a whole configuration file that belong to others; they are read by the host and not by an ingest. */
const FOREIGN_KEYS: ReadonlySet<string> = new Set(['handoff', 'workspace', 'http', 'tools', 'plugins'])

/** The keys of each mapping, by its top-level key, and the name of that place in messages. */
const PLACES: ReadonlyMap<string, { readonly keys: readonly string[]; readonly called: string }> = new Map([
  ['', { keys: Object.keys(modulesConfig.shape), called: 'the top level' }],
  ['repositories', { keys: Object.keys(repositoryEntry.shape), called: 'an entry of repositories' }],
  ['embedding', { keys: Object.keys(embeddingOptions.shape), called: 'embedding' }],
  ['mcp', { keys: Object.keys(mcpOptions.shape), called: 'mcp' }],
])

/**
 * The module service's part of a YAML configuration, with the environment over it.
 * Errors: `invalid`/`config_invalid` with the line of what is wrong, also for an unknown tag, a repeated key, an unknown
 * key, more than 100 aliases, 100 levels or 20,000 parts, and more than 1 MiB.
 */
export async function parseConfigText(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ModulesConfig> {
  if (Buffer.byteLength(text) > CONFIG_MAX_BYTES) throw invalid('it is larger than 1 MiB')
  const read = await readYaml(text)
  if (read.kind === 'problem') throw invalid(read.message.slice(0, 200), read.line)
  const lineOf = (path: readonly PropertyKey[]): number | undefined =>
    read.lineAt(path.map(String)) ?? (path.length > 0 ? lineOf(path.slice(0, -1)) : undefined)
  const values = plainValues(() => read.values(MAX_ALIASES))
  const ours = Object.fromEntries(Object.entries(values).filter(([key]) => !FOREIGN_KEYS.has(key)))
  const parsed = modulesConfig.strict().safeParse(withEnvironment(ours, env))
  if (parsed.success) return parsed.data
  throw invalidValue(parsed.error, lineOf)
}

/**
 * The same from a file. `path` is absolute and already confined to what the caller may read.
 * Errors: `not_found`/`file_not_found`, also for a folder, pipe or device; those of `parseConfigText`.
 */
export async function loadConfigFile(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ModulesConfig> {
  const read = await readRegularFile(path, CONFIG_MAX_BYTES).catch((cause: unknown) => {
    throw refusals.file_not_found({ cause })
  })
  if (read.kind === 'text') return await parseConfigText(read.text, env)
  throw read.kind === 'too large' ? refusals.config_too_large() : refusals.file_not_regular()
}

function plainValues(read: () => unknown): Record<string, unknown> {
  let values: unknown
  try {
    values = read()
  } catch (cause) {
    throw invalid('it repeats its own parts too often', undefined, cause)
  }
  if (values === null || values === undefined) return {}
  if (typeof values !== 'object' || Array.isArray(values)) throw invalid('it is not a mapping of keys', 1)
  return values as Record<string, unknown> // an object, checked above
}

function withEnvironment(
  values: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, unknown> {
  const merged = structuredClone(values) as Record<string, unknown> // plain data of a YAML document
  for (const [name, dotted] of Object.entries(MODULES_ENV)) {
    const text = env[name]
    if (text === undefined || text === '') continue
    const [section = '', key] = dotted.split('.')
    if (key === undefined) merged[section] = text
    else merged[section] = { ...(merged[section] as object | undefined), [key]: typed(name, text) }
  }
  return merged
}

/** Keys and paths stay text; the numbers and switches of `SERVICE_MCP_*` become what they say. */
function typed(name: string, text: string): unknown {
  if (!name.startsWith('SERVICE_MCP_')) return text
  if (/^(?:true|yes|on)$/i.test(text)) return true
  if (/^(?:false|no|off)$/i.test(text)) return false
  return /^\d+$/.test(text) ? Number(text) : text
}

function invalidValue(
  error: z.ZodError,
  lineOf: (path: readonly PropertyKey[]) => number | undefined,
): Error {
  // A mistyped key is the cause of the key that is missing.
  const issue = error.issues.find(({ code }) => code === 'unrecognized_keys') ?? error.issues[0]
  if (issue?.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? ''
    const hint = hintFor(key, PLACES.get(String(issue.path[0] ?? ''))?.keys ?? [])
    return invalid(`it has an unknown key "${key.slice(0, 80)}".${hint}`, lineOf([...issue.path, key]))
  }
  const where = issue?.path.map(String).join('.') ?? ''
  return invalid(`${where}: ${issue?.message ?? 'not valid'}`, lineOf(issue?.path ?? []))
}

/** The place where the key is one, else the nearest key of its own place. */
function hintFor(key: string, keysHere: readonly string[]): string {
  const home = [...PLACES.values()].find(({ keys }) => keys.includes(key))
  if (home) return ` It belongs to ${home.called}.`
  const near = nearest(key, keysHere)
  return near ? ` Did you mean "${near}"?` : ''
}

function invalid(why: string, line?: number, cause?: unknown) {
  const where = line === undefined ? '' : ` (line ${line})`
  return refusals.config_invalid({ where, why }, { ...(line !== undefined && { details: { line } }), cause })
}
