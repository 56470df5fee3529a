const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?$/i
const MAX_STEM_BYTES = 120 // modules design 4
const SHORT_ID = 8

/** The values that make up the name of a summary file. */
export interface NamedModule {
  readonly id: string
  readonly name: string
  readonly ref: string
  readonly path: string
}

/**
 * `<name>_<ref>.json`, with `_<path>` for other directories than the root. A name that had to be changed, is too long,
 * is a device of Windows or is `taken` (lower case) carries 8 digits of the id, or the whole id where that is taken as well: a
 * ref can have the name of another one with its digits.
 */
export function summaryFileName(named: NamedModule, isTaken: (lowerCaseName: string) => boolean): string {
  const wanted = [named.name, named.ref, ...(named.path === '.' ? [] : [named.path])].join('_')
  const plain = wanted.replace(/[^A-Za-z0-9._+-]/g, '_').replace(/^\.+/, (dots) => '_'.repeat(dots.length))
  const isOdd = plain !== wanted || plain.length > MAX_STEM_BYTES || DEVICE.test(plain)
  if (!isOdd && !isTaken(`${plain}.json`.toLowerCase())) return `${plain}.json`
  const stem = plain.slice(0, MAX_STEM_BYTES)
  const short = `${stem}-${named.id.slice(0, SHORT_ID)}.json`
  return isTaken(short.toLowerCase()) ? `${stem}-${named.id}.json` : short
}

/** Whether a file name contains the id of its module. */
export function carriesId(file: string, id: string): boolean {
  return file.includes(`-${id.slice(0, SHORT_ID)}`)
}

/** Assigns a file name to every module of an output directory; unique, ignoring case. */
export interface NameBook {
  /** The existing name of the module under this repository name, else an unused one that it keeps from now on. */
  nameOf(id: string, named: Omit<NamedModule, 'id'> & { readonly repository: string }): string
}

interface NamedFile {
  readonly name: string
  readonly summary_file: string
}

/** `plainOwners`: which repository (URL) may use the plain names of a repository name (lower case). */
export function createNameBook(
  records: Iterable<
    NamedFile & { readonly id: string; readonly other_names?: readonly NamedFile[] | undefined }
  >,
  plainOwners: ReadonlyMap<string, string>,
): NameBook {
  const files = new Map<string, string>()
  const owners = new Map<string, string>()
  const hold = (id: string, name: string, file: string): string => {
    files.set(`${id} ${name}`, file)
    owners.set(file.toLowerCase(), id)
    return file
  }
  for (const { id, other_names = [], ...main } of records) {
    for (const { name, summary_file } of [main, ...other_names]) hold(id, name, summary_file)
  }
  return {
    nameOf(id, named) {
      const known = files.get(`${id} ${named.name}`)
      if (known !== undefined) return known
      const owner = plainOwners.get(named.name.toLowerCase())
      const isGuest = owner !== undefined && owner !== named.repository
      const isTaken = (lower: string): boolean =>
        (isGuest && !carriesId(lower, id)) || (owners.get(lower) ?? id) !== id
      return hold(id, named.name, summaryFileName({ ...named, id }, isTaken))
    },
  }
}
