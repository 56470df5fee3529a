import * as z from 'zod'
import { BUILTIN_PLUGINS, type Section } from './builtin-plugins.ts'
import { findConfigFile } from './config-file.ts'
import { type Origin, originsOf } from './config-origins.ts'
import {
  HOST_ENV,
  type HttpSettings,
  httpSection,
  pluginsSection,
  type StorageSettings,
  storageSection,
  type ToolSettings,
  toolsSection,
} from './config-sections.ts'
import type { ConfigText } from './config-text.ts'
import type { SatchelError } from './contract/errors.ts'
import type { Plugin } from './contract/plugin.ts'
import { fieldErrors, isMissing } from './field-errors.ts'
import { isJsonObject } from './platform/json-object.ts'
import { refusals } from './refusals.ts'
import { typedValue } from './schema-shape.ts'
import { findUnknownKey, type UnknownKey, unknownKey } from './unknown-key.ts'

export type Env = Readonly<Record<string, string | undefined>>

export interface ConfigRequest {
  /** `--config`; else `SERVICE_CONFIG`, `./satchel.yaml`, `./config.yaml`. */
  readonly file?: string
  readonly cwd: string
  readonly env: Env
  /** Dotted key -> value, from flags. */
  readonly flags?: Readonly<Record<string, unknown>>
  /** Dotted key -> value that replaces the default of the section. */
  readonly defaults?: Readonly<Record<string, unknown>>
}

/** The settings of a third-party plugin and the name under which the file lists it. */
export interface ListedSettings {
  readonly settings: Readonly<Record<string, unknown>>
  readonly listedAs: string
}

/** The merged configuration: flag > environment > file > default. Frozen. */
export interface Config {
  /** Absolute; undefined: no file was read. */
  readonly file: string | undefined
  readonly http: HttpSettings
  readonly tools: ToolSettings
  readonly storage: StorageSettings
  /** Third-party plugins: path or npm name -> raw settings. */
  readonly plugins: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Reports whether the file or a flag sets a value under this top-level key. */
  mentions(key: string): boolean
  /** The parsed section of a plugin. Errors: `invalid`/`config_invalid`, `unknown_key` with line and nearest key. */
  section(plugin: Plugin, section: Section | ListedSettings): Record<string, unknown>
  /**
   * Returns the origin of each value of the host's sections, of the given plugins and of the listed `plugins`. `listedAs`
   * is the listed name of a third-party plugin; for one that is not given, only the values in the file are returned.
   */
  origins(
    plugins: readonly {
      readonly plugin: Plugin
      readonly section: Section | { readonly listedAs: string }
    }[],
  ): readonly Origin[]
}

const HOST_SECTIONS = {
  http: httpSection,
  tools: toolsSection,
  storage: storageSection,
  plugins: pluginsSection,
}

/**
 * Reads and merges the configuration; opens no plugin.
 * Errors: `not_found`/`config_not_found` for an explicitly named file; `invalid`/`config_syntax`, `unknown_key`,
 * `config_invalid`, each with the key, its line and the nearest known key in `details`.
 */
export async function loadConfig(request: ConfigRequest): Promise<Config> {
  const found = await findConfigFile(request, topKeys())
  const text = found?.text ?? { values: {}, lines: new Map<string, number>() }
  const source: Source = { file: found?.file, text, request }
  refuseUnknownTopKeys(source)
  const http = parseSection(source, 'http', httpSection, HOST_ENV)
  const tools = parseSection(source, 'tools', toolsSection, HOST_ENV)
  const storage = parseSection(source, 'storage', storageSection, HOST_ENV)
  const { plugins } = parseSection(source, 'plugins', z.object({ plugins: pluginsSection }), {}, ['plugins'])
  const listed = Object.fromEntries(Object.entries(plugins).map(([name, settings]) => [name, settings ?? {}]))
  return Object.freeze({
    file: found?.file,
    http: deepFreeze(http),
    tools: deepFreeze(tools),
    storage: deepFreeze(storage),
    plugins: deepFreeze(listed),
    mentions: (key) =>
      Object.hasOwn(text.values, key) ||
      Object.keys(request.flags ?? {}).some((dotted) => dotted.startsWith(`${key}.`)),
    section(plugin, section) {
      if ('settings' in section) return deepFreeze(parseSettings(source, plugin, section))
      const env = plugin.env ?? {}
      if ('key' in section)
        return deepFreeze(parseSection(source, section.key, plugin.config, prefixed(env, section.key)))
      return deepFreeze(parseSection(source, '', plugin.config, env, section.keys))
    },
    origins(entries) {
      const { values, env } = valuesOf(source, entries, listed)
      return originsOf(values, env, source)
    },
  } satisfies Config)
}

interface Source {
  readonly file: string | undefined
  readonly text: ConfigText
  readonly request: ConfigRequest
}

function topKeys(): string[] {
  return [
    ...BUILTIN_PLUGINS.flatMap(({ section }) => ('key' in section ? [section.key] : section.keys)),
    ...Object.keys(HOST_SECTIONS),
  ]
}

function refuseUnknownTopKeys(source: Source): void {
  const known = topKeys()
  for (const key of Object.keys(source.text.values)) {
    if (!known.includes(key)) throw refusedKey(source, { key, name: key, known })
  }
}

function refusedKey(source: Source, unknown: UnknownKey): SatchelError {
  const line = source.text.lines.get(unknown.key)
  return unknownKey(unknown, placeOf(source, line), line)
}

/** Merges and parses one section. `topLevel`: its keys are at the top level of the file instead of under `key`. */
function parseSection<S extends z.ZodObject>(
  source: Source,
  key: string,
  schema: S,
  env: Readonly<Record<string, string>>,
  topLevel?: readonly string[],
): z.output<S> {
  const fromFile = topLevel ? pick(source.text.values, topLevel) : (source.text.values[key] ?? {})
  if (!isJsonObject(fromFile)) {
    throw invalidKey(source, key, 'must be a mapping of keys')
  }
  return parseMerged(source, { prefix: topLevel ? '' : `${key}.`, schema, fromFile, env, topLevel })
}

interface Merge<S extends z.ZodObject> {
  /** Dotted, with the last dot; empty at the top level. */
  readonly prefix: string
  readonly schema: S
  readonly fromFile: Readonly<Record<string, unknown>>
  /** Environment name -> dotted key, with the prefix. */
  readonly env: Readonly<Record<string, string>>
  readonly topLevel?: readonly string[] | undefined
}

/** Merges the layers around the values of the file, and parses them. */
function parseMerged<S extends z.ZodObject>(
  source: Source,
  { prefix, schema, fromFile, env, topLevel }: Merge<S>,
): z.output<S> {
  const unknown = findUnknownKey(schema, fromFile, prefix)
  if (unknown) throw refusedKey(source, unknown)
  const merged: Record<string, unknown> = structuredClone(fromFile)
  for (const [dotted, value] of layers(source.request, env)) {
    if (!owns(dotted, prefix, topLevel)) continue
    const own = dotted.slice(prefix.length)
    place(merged, own, value(schema, merged, own), source)
  }
  const parsed = schema.safeParse(merged)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const [first] = fieldErrors(parsed.error, merged)
  const key = `${prefix}${issue?.path.join('.') ?? ''}`
  const line = issue && isMissing(issue, merged) ? lineAround(source, key) : undefined
  throw invalidKey(source, key, first?.message ?? 'is not valid', { env, line })
}

type Layer = readonly [
  dotted: string,
  /** `own`: the key inside the section. */
  value: (schema: z.ZodObject, merged: Record<string, unknown>, own: string) => unknown,
]

/** Lists the values around the file in ascending precedence: defaults (only for absent keys), environment, flags. */
function layers(request: ConfigRequest, env: Readonly<Record<string, string>>): Layer[] {
  const defaults = Object.entries(request.defaults ?? {}).map(
    ([dotted, value]): Layer => [dotted, (_, merged) => merged[lastName(dotted)] ?? value],
  )
  const fromEnv = Object.entries(env).flatMap(([name, dotted]): Layer[] => {
    const text = request.env[name]
    return text === undefined || text === ''
      ? []
      : [[dotted, (schema, _, own) => typedValue(schema, own, text)]]
  })
  const flags = Object.entries(request.flags ?? {}).map(([dotted, value]): Layer => [dotted, () => value])
  return [...defaults, ...fromEnv, ...flags]
}

function owns(dotted: string, prefix: string, topLevel: readonly string[] | undefined): boolean {
  if (topLevel) return topLevel.includes(dotted.split('.')[0] ?? '')
  return dotted.startsWith(prefix)
}

function place(target: Record<string, unknown>, dotted: string, value: unknown, source: Source): void {
  const path = dotted.split('.')
  const last = path.pop() ?? ''
  let at = target
  for (const name of path) {
    const next = at[name] ?? {}
    if (!isJsonObject(next)) throw invalidKey(source, name, 'must be a mapping of keys')
    at[name] = next
    at = next
  }
  at[last] = value
}

/** Parses the settings of a third-party plugin as its section of the file. */
function parseSettings(
  source: Source,
  plugin: Plugin,
  { settings, listedAs }: ListedSettings,
): Record<string, unknown> {
  const key = keyOf(listedAs)
  const env = prefixed(plugin.env ?? {}, key)
  return parseMerged(source, { prefix: `${key}.`, schema: plugin.config, fromFile: settings, env })
}

function keyOf(listedAs: string): string {
  return `plugins.${listedAs}`
}

interface Where {
  readonly env?: Readonly<Record<string, string>>
  /** Absent: the line of the key itself. */
  readonly line?: number | undefined
}

function invalidKey(
  source: Source,
  key: string,
  why: string,
  { env = {}, line: around }: Where = {},
): SatchelError {
  const name = Object.keys(env).find((candidate) => env[candidate] === key && source.request.env[candidate])
  const isInFile = name === undefined && !Object.hasOwn(source.request.flags ?? {}, key)
  const line = isInFile ? (source.text.lines.get(key) ?? around) : undefined
  return refusals.config_invalid(
    { place: placeOf(source, line), key: name ?? key, fault: why },
    { details: { key, ...(line !== undefined && { line }), ...(name && { environment: name }) } },
  )
}

/** The line of the innermost key that the file has around a missing one. */
function lineAround(source: Pick<Source, 'text'>, key: string): number | undefined {
  const end = key.lastIndexOf('.')
  if (end < 0) return undefined
  const outer = key.slice(0, end)
  return source.text.lines.get(outer) ?? lineAround(source, outer)
}

/** Returns the prefix of an error if the line is known. */
function placeOf({ file = 'configuration' }: Source, line: number | undefined): string {
  return line === undefined ? '' : `${file}:${line}: `
}

/** Merges the values of the host's sections and of the given plugins with the file's values of all others. */
function valuesOf(source: Source, entries: Parameters<Config['origins']>[0], listed: Config['plugins']) {
  const env = { ...HOST_ENV }
  const plugins: Record<string, unknown> = { ...listed }
  const values: Record<string, unknown> = {
    http: parseSection(source, 'http', httpSection, HOST_ENV),
    tools: parseSection(source, 'tools', toolsSection, HOST_ENV),
    storage: parseSection(source, 'storage', storageSection, HOST_ENV),
  }
  for (const { plugin, section } of entries) {
    const own = plugin.env ?? {}
    if ('listedAs' in section) {
      plugins[section.listedAs] = parseSettings(source, plugin, {
        settings: listed[section.listedAs] ?? {},
        listedAs: section.listedAs,
      })
      Object.assign(env, prefixed(own, keyOf(section.listedAs)))
      continue
    }
    Object.assign(env, 'key' in section ? prefixed(own, section.key) : own)
    if ('key' in section)
      values[section.key] = parseSection(source, section.key, plugin.config, prefixed(own, section.key))
    else Object.assign(values, parseSection(source, '', plugin.config, own, section.keys))
  }
  return { values: { ...values, plugins }, env }
}

function prefixed(env: Readonly<Record<string, string>>, key: string): Record<string, string> {
  return Object.fromEntries(Object.entries(env).map(([name, dotted]) => [name, `${key}.${dotted}`]))
}

function pick(values: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => keys.includes(key)))
}

function lastName(dotted: string): string {
  return dotted.slice(dotted.lastIndexOf('.') + 1)
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const entry of Object.values(value)) deepFreeze(entry)
  return Object.freeze(value)
}
