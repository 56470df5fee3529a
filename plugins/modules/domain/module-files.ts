/** Which file names belong to a module, and how they relate to each other (names without directory). */

/** `hcl` or `json`: the two ways a module file is read. */
export type Flavour = 'hcl' | 'json'

/** Larger module files are not read, nor larger texts checked. modules design 8 */
export const MODULE_FILE_MAX_BYTES = 1024 * 1024

const MODULE_FILE = /^[^.].*\.(tf|tofu)(\.json)?$/

/**
 * The flavour of a module file, or undefined for any other file:
 * `*.tfvars`, tests (`*.tftest.hcl`), dot-files and editor backups (`~`, `#`) are not module files.
 */
export function moduleFlavour(name: string): Flavour | undefined {
  if (!MODULE_FILE.test(name) || name.startsWith('#')) return undefined
  return name.endsWith('.json') ? 'json' : 'hcl'
}

/** Whether the file is read last and replaces attributes: `override.tf`, `x_override.tf` and their other suffixes. */
export function isOverrideFile(name: string): boolean {
  return /^(.+_)?override\.(tf|tofu)(\.json)?$/.test(name)
}

/** Whether only OpenTofu reads the file. */
export function isTofuFile(name: string): boolean {
  return /\.tofu(\.json)?$/.test(name)
}

/** For a `.tf` or `.tf.json` name the `.tofu` name that is read instead of it when both exist. */
export function tofuTwin(name: string): string | undefined {
  const twin = name.replace(/\.tf(\.json)?$/, '.tofu$1')
  return twin === name ? undefined : twin
}
