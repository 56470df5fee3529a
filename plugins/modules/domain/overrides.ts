/** Merges the files of a module: of two blocks with one name the first counts, override files replace what they state. */
import type { FileFacts } from './choose-files.ts'
import { joinConstraints } from './constraint.ts'
import type {
  ModuleCallFacts,
  ModuleFacts,
  NamedLine,
  OutputFacts,
  RequirementFacts,
  ResourceFacts,
  VariableFacts,
} from './module-facts.ts'
import { isOverrideFile } from './module-files.ts'
import type { Diagnostic } from './summary.ts'

/** A fact and the file that states it. */
export interface Placed<T> {
  readonly file: string
  readonly facts: T
}

/** A module's blocks after merging. */
export interface Merged {
  readonly variables: readonly Placed<VariableFacts>[]
  readonly outputs: readonly Placed<OutputFacts>[]
  readonly requirements: readonly Placed<RequirementFacts>[]
  readonly modules: readonly Placed<ModuleCallFacts>[]
  readonly resources: readonly Placed<ResourceFacts>[]
  readonly data: readonly Placed<ResourceFacts>[]
  readonly ephemeral: readonly Placed<ResourceFacts>[]
  readonly requiredVersion: string | undefined
  readonly diagnostics: readonly Diagnostic[]
}

/** Merges files in byte order of their names. Diagnostics: `duplicate_block`, `override_without_target`. */
export function mergeFiles(files: readonly FileFacts[]): Merged {
  const base = files.filter(({ name }) => !isOverrideFile(name))
  const overrides = files.filter(({ name }) => isOverrideFile(name))
  const diagnostics: Diagnostic[] = []
  const merge = <T extends NamedLine>(
    kind: string,
    of: (facts: ModuleFacts) => readonly T[],
  ): Placed<T>[] => {
    const placed = collect(base, of)
    const first = UNIQUE.has(kind) ? firstOfEach(kind, placed, diagnostics) : placed
    return override(kind, first, collect(overrides, of), diagnostics)
  }
  return {
    variables: merge('variable', ({ variables }) => variables),
    outputs: merge('output', ({ outputs }) => outputs),
    requirements: merge('provider requirement', ({ requirements }) => requirements),
    modules: merge('module', ({ modules }) => modules),
    resources: merge('resource', ({ resources }) => resources),
    data: merge('data', ({ data }) => data),
    ephemeral: merge('ephemeral', ({ ephemeral }) => ephemeral),
    requiredVersion: joinConstraints(versionsOf(overrides)) ?? joinConstraints(versionsOf(base)),
    diagnostics,
  }
}

const UNIQUE = new Set(['variable', 'output', 'provider requirement'])

function versionsOf(files: readonly FileFacts[]): string[] {
  return files.flatMap(({ facts }) => facts.requiredVersion ?? [])
}

function collect<T>(files: readonly FileFacts[], of: (facts: ModuleFacts) => readonly T[]): Placed<T>[] {
  return files.flatMap(({ name, facts }) => of(facts).map((fact) => ({ file: name, facts: fact })))
}

function addressOf(facts: NamedLine & { readonly type?: string }, kind: string): string {
  // Only blocks of two labels are addressed by their type; a variable's type is its constraint.
  const isTyped = kind === 'resource' || kind === 'data' || kind === 'ephemeral'
  return isTyped ? `${facts.type}.${facts.name}` : facts.name
}

/** The first of each name. Older modules state one provider in several files, so that is not a finding. */
function firstOfEach<T extends NamedLine>(
  kind: string,
  placed: readonly Placed<T>[],
  diagnostics: Diagnostic[],
): Placed<T>[] {
  const first = new Map<string, Placed<T>>()
  for (const entry of placed) {
    const earlier = first.get(entry.facts.name)
    if (earlier === undefined) first.set(entry.facts.name, entry)
    else if (kind !== 'provider requirement') diagnostics.push(duplicate(kind, earlier, entry))
  }
  return [...first.values()]
}

function duplicate(kind: string, first: Placed<NamedLine>, second: Placed<NamedLine>): Diagnostic {
  return {
    severity: 'error',
    code: 'duplicate_block',
    message: `The ${kind} "${first.facts.name}" of ${placeOf(first)} is stated again at ${placeOf(second)}, which Terraform refuses; the first counts.`,
    file: second.file,
    ...lineOf(second.facts),
  }
}

function override<T extends NamedLine>(
  kind: string,
  placed: Placed<T>[],
  overriding: readonly Placed<T>[],
  diagnostics: Diagnostic[],
): Placed<T>[] {
  if (overriding.length === 0) return placed
  const merged = [...placed]
  const index = new Map(
    merged.map(({ facts }, at) => [addressOf(facts, kind), at]).toReversed() as [string, number][],
  )
  for (const entry of overriding) {
    const at = index.get(addressOf(entry.facts, kind))
    const target = at === undefined ? undefined : merged[at]
    if (at !== undefined && target !== undefined)
      merged[at] = { ...target, facts: replaced(target.facts, entry.facts) }
    // Terraform merges required_providers name by name: a new name is added.
    else if (kind === 'provider requirement') merged.push(entry)
    else diagnostics.push(withoutTarget(kind, entry))
  }
  return merged
}

/** What the override states, the rest as it was; the position stays that of the target. */
function replaced<T extends NamedLine>(target: T, by: T): T {
  const stated = Object.entries(by).filter(([key]) => key !== 'line')
  return { ...target, ...(Object.fromEntries(stated) as Partial<T>) } // the entries of a T
}

function withoutTarget(kind: string, entry: Placed<NamedLine>): Diagnostic {
  return {
    severity: 'warning',
    code: 'override_without_target',
    message: `The ${kind} "${addressOf(entry.facts, kind)}" of an override file overrides nothing.`,
    file: entry.file,
    ...lineOf(entry.facts),
  }
}

function placeOf({ file, facts }: Placed<NamedLine>): string {
  return facts.line === undefined ? file : `${file}:${facts.line}`
}

function lineOf({ line }: NamedLine): { line?: number } {
  return line === undefined ? {} : { line }
}
