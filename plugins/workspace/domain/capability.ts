import { CAPABILITIES, type Capability } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'

/** The default capabilities of an agent. */
export const AGENT_CAPABILITIES: readonly Capability[] = ['read', 'observe', 'propose', 'checkout', 'commit']

/** True when `held` allows `needed`; `admin` implies all others. */
export function allows(held: readonly Capability[], needed: Capability): boolean {
  return held.includes(needed) || held.includes('admin')
}

/** True when every capability of `asked` is allowed by `held`. */
export function isWithin(asked: readonly Capability[], held: readonly Capability[]): boolean {
  return asked.every((capability) => allows(held, capability))
}

/**
 * Names as capabilities, in the fixed order and without repeats; `*` means all of them.
 * Errors: `invalid`/`invalid_request` for an unknown name or none at all.
 */
export function parseCapabilities(names: readonly string[]): readonly Capability[] {
  if (names.includes('*')) return CAPABILITIES
  const unknown = names.find((name) => !CAPABILITIES.some((capability) => capability === name))
  if (unknown !== undefined || names.length === 0) {
    throw refusals.capabilities_unknown({ names: CAPABILITIES.join(', ') })
  }
  return CAPABILITIES.filter((capability) => names.includes(capability))
}
