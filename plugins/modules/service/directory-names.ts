/** The names of a directory of a configuration: what its files declare and read. */
import { posix } from 'node:path'
import { inTurns } from '../../../server/plugin.ts'
import type { ConfigurationNames, FileNames } from '../domain/configuration-names.ts'
import { MAX_EPHEMERAL_STEPS } from '../domain/ephemeral-value.ts'
import { MAX_TYPE_STEPS, type TypeScope } from '../domain/expression-type.ts'
import { moduleFlavour } from '../domain/module-files.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { parseType } from '../domain/type-constraint.ts'
import { readingFileNames } from '../hcl/file-names.ts'
import { readingJsonFileNames } from '../hcl/json-file-names.ts'
import type { CallDirectory } from './call-tree.ts'

/** Sure only of a whole directory all files of which were understood. */
export async function namesOf({
  files,
  unread,
  isWhole,
  isGenerated,
}: CallDirectory): Promise<ConfigurationNames> {
  const read: FileNames[] = []
  for (const { name, text } of files) {
    const isJson = moduleFlavour(posix.basename(name)) === 'json'
    read.push(await inTurns(isJson ? readingJsonFileNames(name, text) : readingFileNames(name, text)))
  }
  return {
    declared: read.flatMap(({ declared }) => declared),
    reads: thatCount(read, ({ reads }) => reads),
    kept: thatCount(read, ({ kept }) => kept),
    departures: read.flatMap(({ departures }) => departures),
    isSure: isWhole && !isGenerated && unread.length === 0 && read.every(({ isSure }) => isSure),
  }
}

/** Terraform does not evaluate what an override file replaces. */
function thatCount<Placed extends { readonly part?: string }>(
  files: readonly FileNames[],
  of: (file: FileNames) => readonly Placed[],
): Placed[] {
  const last = new Map(files.flatMap((file) => file.parts.map((part) => [part, file])))
  return files.flatMap((file) =>
    last.size === 0
      ? of(file)
      : of(file).filter(({ part }) => part !== undefined && (last.get(part) ?? file) === file),
  )
}

/** The types of the inputs of a directory, its local values and what its calls give; undefined where a file may say otherwise. */
export function scopeOf(
  { declared, isSure }: ConfigurationNames,
  { variables }: Pick<ModuleSummary, 'variables'>,
  outputs: NonNullable<TypeScope['outputs']>,
): TypeScope | undefined {
  if (!isSure) return undefined
  const locals = declared.filter(({ kind }) => kind === 'local')
  const counts = new Map<string, number>()
  for (const { name } of locals) counts.set(name, (counts.get(name) ?? 0) + 1)
  return {
    outputs,
    allowed: { ephemeral: MAX_EPHEMERAL_STEPS, types: MAX_TYPE_STEPS },
    ephemeral: new Set(variables.flatMap(({ name, ephemeral }) => (ephemeral === true ? [name] : []))),
    sensitive: new Set(variables.flatMap(({ name, sensitive }) => (sensitive === true ? [name] : []))),
    variables: new Map(variables.map(({ name, type }) => [name, parseType(type)])),
    locals: new Map(
      locals.flatMap(({ name, value }) => (value && counts.get(name) === 1 ? [[name, value]] : [])),
    ),
  }
}
