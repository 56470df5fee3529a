import type { ConfigText } from './config-text.ts'
import { isJsonObject } from './platform/json-object.ts'
import { isSecretName, redactText } from './redaction.ts'

/** One value of the merged configuration and where it came from: `default`, `flag`, an environment name, `file:line`. */
export interface Origin {
  readonly key: string
  readonly value: unknown
  readonly origin: string
}

interface Sources {
  readonly file: string | undefined
  readonly text: ConfigText
  readonly request: {
    readonly env: Readonly<Record<string, string | undefined>>
    readonly flags?: Readonly<Record<string, unknown>>
  }
}

type Path = readonly [string, ...string[]]

/** Returns each value of a merged configuration with its origin, without secrets. `env`: environment name -> dotted key. */
export function originsOf(
  values: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string>>,
  sources: Sources,
): readonly Origin[] {
  return leavesOf(values, []).map(({ path, value }) => ({
    key: path.join('.'),
    value: shown(path, value),
    origin: originOf(path, env, sources),
  }))
}

/** Returns all leaves. An empty mapping is a leaf, so that a plugin without settings is shown. */
function leavesOf(
  value: Readonly<Record<string, unknown>>,
  above: readonly string[],
): { readonly path: Path; readonly value: unknown }[] {
  return Object.entries(value).flatMap(([name, entry]) => {
    const path: Path = [...above, name] as unknown as Path // it ends in a name
    return isJsonObject(entry) && Object.keys(entry).length > 0
      ? leavesOf(entry, path)
      : [{ path, value: entry }]
  })
}

function originOf(
  path: Path,
  env: Readonly<Record<string, string>>,
  { file, text, request }: Sources,
): string {
  const key = path.join('.')
  if (Object.hasOwn(request.flags ?? {}, key)) return 'flag'
  const name = Object.keys(env).find((candidate) => env[candidate] === key && request.env[candidate])
  if (name) return name
  if (!isWritten(text.values, path)) return 'default'
  // values from an alias have no line of their own: use the line of the alias
  for (let length = path.length; length > 0; length--) {
    const line = text.lines.get(path.slice(0, length).join('.'))
    if (line !== undefined) return `${file}:${line}`
  }
  return 'default'
}

function isWritten(values: unknown, path: readonly string[]): boolean {
  let at = values
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return false
    at = (at as Record<string, unknown>)[name] // checked above
  }
  return true
}

function shown(path: Path, value: unknown): unknown {
  if (value === null || value === undefined) return value
  const [section, , ...settings] = path
  // the name of a plugin does not make its settings secret
  const name = section === 'plugins' ? settings.join('.') : path.join('.')
  const counts = typeof value === 'number' && name.endsWith('_tokens')
  if (isSecretName(name) && !counts) return '[redacted]'
  return JSON.parse(JSON.stringify(value), (_, entry) =>
    typeof entry === 'string' ? redactText(entry) : entry,
  )
}
