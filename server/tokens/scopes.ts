import type { Principal } from '../contract/advanced/principal.ts'
import { refusals } from './refusals.ts'

/** What a scope allows; each level includes those before it. */
export const LEVELS = ['read', 'write', 'admin'] as const
/** One of `LEVELS`. */
export type Level = (typeof LEVELS)[number]

const PLUGIN_NAME = /@?[a-z0-9][a-z0-9._/-]{0,100}/
/** The level in a scope that follows the name of a plugin, as in `modules:read`. */
const SCOPE = new RegExp(`^(?:(${PLUGIN_NAME.source}):)?(read|write|admin)$`)
const IS_PLUGIN_NAME = new RegExp(`^${PLUGIN_NAME.source}$`)

/** Reports whether a scope can name a plugin that is called so. */
export function isPluginName(name: string): boolean {
  return IS_PLUGIN_NAME.test(name)
}

/** Splits `modules:read` or `read`; undefined for any other text. */
export function parseScope(
  scope: string,
): { readonly plugin: string | undefined; readonly level: Level } | undefined {
  const found = SCOPE.exec(scope)
  const level = LEVELS.find((one) => one === found?.[2])
  return level && { plugin: found?.[1], level }
}

/** The level that a tool, a resource or a stream needs. Without annotations it is read only. */
export function levelOf(declared: {
  readonly annotations?: { readonly readOnly: boolean }
  readonly scope?: 'admin'
}): Level {
  return declared.scope ?? (declared.annotations?.readOnly === false ? 'write' : 'read')
}

/**
 * Reports whether the scopes of a principal include `level` for `plugin`; `plugin` absent: for the server itself.
 * A principal without scopes is not limited.
 */
export function hasScope(
  { scopes }: Pick<Principal, 'scopes'>,
  plugin: string | undefined,
  level: Level,
): boolean {
  return scopes === undefined || scopes.some((scope) => allows(scope, plugin, level))
}

/** Refuses a principal without this scope, as `hasScope` says. Errors: `forbidden`/`scope_missing`, with the scope in the details. */
export function requireScope(
  principal: Pick<Principal, 'scopes'>,
  plugin: string | undefined,
  level: Level,
): void {
  if (hasScope(principal, plugin, level)) return
  const scope = plugin === undefined ? level : `${plugin}:${level}`
  throw refusals.scope_missing({ scope }, { details: { scope } })
}

function allows(scope: string, plugin: string | undefined, level: Level): boolean {
  const held = parseScope(scope)
  if (!held || (held.plugin !== undefined && held.plugin !== plugin)) return false
  return LEVELS.indexOf(held.level) >= LEVELS.indexOf(level)
}
