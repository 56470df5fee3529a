import { carriesId } from '../output/file-name.ts'
import { type IndexRecord, type ModuleIndex, namesOf, type OtherName } from '../output/module-index.ts'
import type { Plan } from './plan.ts'

/**
 * The names of each module in one run. Entries of one repository may have several names: a summary is written under each
 * of them, and the index has one record, which is called by the first.
 */
export interface NamesOfRun {
  /** An entry with this name has the module; the first call decides what its record is called. */
  claim(id: string, name: string): void
  /** A record with a summary that was just written: the record itself, or a further name of the one there was. */
  merged(before: IndexRecord | undefined, written: IndexRecord): IndexRecord
  /** The record without names that no entry of its repository has any more. */
  current(record: IndexRecord): IndexRecord
  /** The summary under this name; undefined where there is none, or where no entry has the name of the record any more. */
  fileOf(record: IndexRecord, name: string): OtherName | undefined
}

export function createNamesOfRun({ repositories }: Plan): NamesOfRun {
  const planned = new Map(
    repositories.map(({ remote, entries }) => [remote.url, new Set(entries.map(({ name }) => name))]),
  )
  const first = new Map<string, string>()
  const withOthers = (record: IndexRecord, others: readonly OtherName[]): IndexRecord => {
    const { other_names: _, ...alone } = record
    const isOther = ({ name }: OtherName): boolean =>
      name !== record.name && planned.get(record.repository)?.has(name) === true
    const kept = others.filter(isOther)
    return kept.length === 0 ? alone : { ...alone, other_names: kept }
  }
  return {
    claim(id, name) {
      if (!first.has(id)) first.set(id, name)
    },
    merged(before, written) {
      const { id, name, summary_file, summary_sha256 } = written
      const others = (before?.other_names ?? []).filter((other) => other.name !== name)
      if (before === undefined || first.get(id) === name) return withOthers(written, others)
      return withOthers(before, [...others, { name, summary_file, summary_sha256 }])
    },
    current: (record) => withOthers(record, record.other_names ?? []),
    fileOf(record, name) {
      if (planned.get(record.repository)?.has(record.name) !== true) return undefined
      return [record, ...(record.other_names ?? [])].find((one) => one.name === name)
    },
  }
}

/** For each name of the plan: of several repositories with it the first of the index, else of the plan, has the plain file names. */
export function nameOwners(plan: Plan, earlier: ModuleIndex | undefined): ReadonlyMap<string, string> {
  const owners = new Map<string, string>()
  const planned = new Set(
    plan.repositories.flatMap(({ entries }) => entries.map(({ name }) => name.toLowerCase())),
  )
  const own = (name: string, url: string): void => {
    if (!owners.has(name.toLowerCase())) owners.set(name.toLowerCase(), url)
  }
  const isPlanned = (name: string): boolean => planned.has(name.toLowerCase())
  for (const record of earlier?.records ?? []) {
    if (record.other_names === undefined && !isPlanned(record.name)) continue // as nearly all of them
    const names = namesOf(record).filter(isPlanned)
    if (names.length === 0 || carriesId(record.summary_file, record.id)) continue
    for (const name of names) own(name, record.repository)
  }
  for (const { remote, entries } of plan.repositories) for (const { name } of entries) own(name, remote.url)
  return owners
}
