import { BUILTIN_PLUGINS } from '../builtin-plugins.ts'
import { isSatchelError, type SatchelError } from '../contract/errors.ts'

/**
 * True for a command that harnesses run at an event. It always exits with 0 and tells a failure in one line on stderr:
 * some harnesses block what they do when a hook fails.
 */
export function isHarnessHook(words: readonly string[]): boolean {
  const hooks = BUILTIN_PLUGINS.flatMap(({ setup = [] }) =>
    setup.flatMap(({ hooks: offered = [] }) => offered),
  )
  return hooks.some(({ words: own }) => own.slice(0, -1).every((word, at) => words[at] === word))
}

const CONFIG_FAULTS: readonly string[] = [
  'config_not_found',
  'config_syntax',
  'config_invalid',
  'unknown_key',
]

/** True for a fault of the configuration, without which a hook can go on. */
export function isConfigFault(thrown: unknown): thrown is SatchelError {
  return isSatchelError(thrown) && CONFIG_FAULTS.includes(thrown.reason)
}
