const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?$/i
const MAX_STEM_BYTES = 120 // modules design 4

/** What a summary's file is called after. */
export interface NamedModule {
  readonly id: string
  readonly name: string
  readonly ref: string
  readonly path: string
}

/**
 * `<name>_<ref>.json`, with `_<path>` for other directories than the root. A name that had to be changed, is too long,
 * is a device of Windows or is `taken` (lower case) carries 8 digits of the id.
 */
export function summaryFileName(named: NamedModule, isTaken: (lowerCaseName: string) => boolean): string {
  const wanted = [named.name, named.ref, ...(named.path === '.' ? [] : [named.path])].join('_')
  const plain = wanted.replace(/[^A-Za-z0-9._+-]/g, '_').replace(/^\.+/, (dots) => '_'.repeat(dots.length))
  const isOdd = plain !== wanted || plain.length > MAX_STEM_BYTES || DEVICE.test(plain)
  if (!isOdd && !isTaken(`${plain}.json`.toLowerCase())) return `${plain}.json`
  return `${plain.slice(0, MAX_STEM_BYTES)}-${named.id.slice(0, 8)}.json`
}
