import { readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isOwn, userCache } from '../user-cache.ts'
import type { PreparedAnswers, PreparedIndex } from './prepared-answers.ts'

export interface Start {
  /** Without node and script. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

/** Larger configurations are not looked at. */
const MAX_CONFIG_BYTES = 1024 * 1024
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/** Reads what the build prepared; undefined where the program runs from its sources. */
export function readIndex(): { readonly folder: string; readonly index: PreparedIndex } | undefined {
  const folder = join(dirname(fileURLToPath(import.meta.url)), 'prepared')
  try {
    return { folder, index: JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) }
  } catch {
    return undefined
  }
}

/**
 * The answers for this start: those of the build for one without configuration, else those that an earlier server with
 * the same configuration kept in the cache of this user. Undefined where there are none. Errors: none.
 */
export async function findAnswers(start: Start): Promise<PreparedAnswers | undefined> {
  try {
    const found = readIndex()
    if (!found || start.argv[0] !== 'mcp') return undefined
    const { folder, index } = found
    const built = isConfigured(start, index) ? undefined : index.starts[JSON.stringify(start.argv)]
    if (built !== undefined) return JSON.parse(readFileSync(join(folder, built), 'utf8'))
    const kept = await cachePath(start, index)
    return kept !== undefined && isKept(kept) ? JSON.parse(readFileSync(kept, 'utf8')) : undefined
  } catch {
    return undefined
  }
}

/** The file of this start in the user's cache; undefined for a start whose answers are not kept. Errors: the file system's own. */
export async function cachePath(start: Start, index: PreparedIndex): Promise<string | undefined> {
  const { argv, env, cwd } = start
  if (argv.some((word) => /^(?:-c|--config|--transport)/.test(word))) return undefined
  const { createHash } = await import('node:crypto')
  const hash = createHash('sha256')
  const facts = index.environment.map((name) => [name, env[name] ?? null])
  hash.update(JSON.stringify([index.build, process.version, argv, facts]))
  const files = env['SERVICE_CONFIG'] ? [env['SERVICE_CONFIG']] : CONFIG_FILES
  for (const name of files) {
    const file = resolve(cwd, name)
    const info = statSync(file, { throwIfNoEntry: false })
    if (info && (!info.isFile() || info.size > MAX_CONFIG_BYTES)) return undefined
    hash.update(info ? `\0${name}\0` : '\0').update(info ? readFileSync(file) : '')
  }
  return join(userCache(env), 'prepared', `${hash.digest('hex')}.json`)
}

const CONFIG_FILES = ['satchel.yaml', 'config.yaml']

function isConfigured({ env, cwd }: Start, { environment }: PreparedIndex): boolean {
  if (env['SERVICE_CONFIG'] || environment.some((name) => env[name])) return true
  return CONFIG_FILES.some((name) => statSync(resolve(cwd, name), { throwIfNoEntry: false }) !== undefined)
}

function isKept(path: string): boolean {
  const info = statSync(path, { throwIfNoEntry: false })
  return info?.isFile() === true && info.size <= MAX_ANSWER_BYTES && isOwn(path)
}
