import { once } from '../../../server/plugin.ts'

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

interface NamedRecord extends NamedFile {
  readonly other_names?: readonly NamedFile[] | undefined
}

/**
 * `records` by id, which the caller changes while names are asked for. `plainOwners`: which repository (URL) may use the
 * plain names of a repository name (lower case).
 */
export function createNameBook(
  records: ReadonlyMap<string, NamedRecord>,
  plainOwners: ReadonlyMap<string, string>,
): NameBook {
  const given = new Map<string, string>()
  const ownerOf = once(() => ownersOf(records))
  return {
    nameOf(id, named) {
      const key = `${id} ${named.name}`
      const known = given.get(key) ?? fileOf(records.get(id), named.name)
      if (known !== undefined) return known
      const owners = ownerOf()
      const owner = plainOwners.get(named.name.toLowerCase())
      const isGuest = owner !== undefined && owner !== named.repository
      const isTaken = (lower: string): boolean =>
        (isGuest && !carriesId(lower, id)) || (owners.get(lower) ?? id) !== id
      const file = summaryFileName({ ...named, id }, isTaken)
      given.set(key, file)
      owners.set(file.toLowerCase(), id)
      return file
    },
  }
}

function fileOf(record: NamedRecord | undefined, name: string): string | undefined {
  return record && [record, ...(record.other_names ?? [])].find((one) => one.name === name)?.summary_file
}

/** File in lower case -> id of its module. */
function ownersOf(records: ReadonlyMap<string, NamedRecord>): Map<string, string> {
  const owners = new Map<string, string>()
  for (const [id, record] of records) {
    owners.set(record.summary_file.toLowerCase(), id)
    for (const { summary_file } of record.other_names ?? []) owners.set(summary_file.toLowerCase(), id)
  }
  return owners
}
