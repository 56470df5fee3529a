/** Makes the summary of a module from the facts of its files. */

import { chooseFiles, type FileFacts } from './choose-files.ts'
import { describe } from './description.ts'
import { licenceId } from './licence.ts'
import type {
  ModuleCallFacts,
  ModuleFacts,
  OutputFacts,
  RequirementFacts,
  ResourceFacts,
  VariableFacts,
} from './module-facts.ts'
import { mergeFiles, type Placed } from './overrides.ts'
import { usedProviders, withInferred } from './providers.ts'
import { README_MAX_BYTES, type ReadReadme, readReadme } from './readme.ts'
import type { SummaryInput } from './summarize-input.ts'
import {
  type Diagnostic,
  type ModuleCall,
  type ModuleSummary,
  type Output,
  type Position,
  type ProviderRequirement,
  type ResourceAddress,
  SUMMARY_SCHEMA,
  type Variable,
} from './summary.ts'

const NO_README: ReadReadme = { text: '', opening: {} }

/**
 * The summary of one module directory: pure, and the same for the same input in any order of its files.
 * Files in byte order of their names, then source order; `.tofu` files instead of their `.tf` twins; overrides merged;
 * of two variables or outputs with one name the first counts.
 */
export function summarize(input: SummaryInput): ModuleSummary {
  const chosen = chooseFiles(input.files)
  const merged = mergeFiles(chosen.files)
  const readme = input.readme === undefined ? NO_README : readReadme(input.readme.bytes)
  const used = chosen.files.flatMap((file) =>
    usedProviders(file.facts).map((use) => ({ ...use, file: file.name })),
  )
  return {
    repository: input.repository,
    ref: input.ref,
    path: input.path,
    description: describe({ readme: readme.opening, topComments: topComments(chosen.files) }),
    variables: merged.variables.map(toVariable),
    outputs: merged.outputs.map(toOutput),
    providers: withInferred(merged.requirements.map(toRequirement), used),
    modules: merged.modules.map(toCall),
    readme_content: readme.text,
    schema: SUMMARY_SCHEMA,
    name: input.name,
    kind: input.kind,
    ref_kind: input.refKind,
    commit: input.commit,
    required_version: merged.requiredVersion ?? null,
    resources: merged.resources.map(toAddress),
    data: merged.data.map(toAddress),
    ephemeral_resources: merged.ephemeral.map(toAddress),
    moved: chosen.files.flatMap(({ facts }) => facts.moved),
    licence: firstLicence(input.licences ?? []),
    ...(isTruncated(input) ? { readme_truncated: true as const } : {}),
    files: chosen.files.map(({ name }) => name),
    diagnostics: [
      ...(input.diagnostics ?? []).toSorted(byPlace),
      ...chosen.diagnostics,
      ...chosen.files.flatMap(fileDiagnostics),
      ...merged.diagnostics,
    ],
  }
}

/** Refs share most of their files: the rows of a file are the same objects in all their summaries. */
function rowOnce<Facts extends object, Row>(
  make: (placed: Placed<Facts>) => Row,
): (placed: Placed<Facts>) => Row {
  const made = new WeakMap<Facts, { readonly file: string; readonly row: Row }>()
  return (placed) => {
    const known = made.get(placed.facts)
    if (known?.file === placed.file) return known.row
    const row = make(placed)
    made.set(placed.facts, { file: placed.file, row })
    return row
  }
}

const toVariable = rowOnce(({ file, facts }: Placed<VariableFacts>): Variable => {
  const { default: stated } = facts
  return {
    name: facts.name,
    type: facts.type ?? 'any',
    description: facts.description ?? '',
    default: stated === undefined ? null : stated.value,
    required: stated === undefined,
    ...pick(facts, ['nullable', 'sensitive', 'ephemeral', 'deprecated']),
    ...(stated?.expression ? { default_expression: true as const } : {}),
    ...pick(facts, ['validations']),
    ...positionOf(file, facts),
  }
})

const toOutput = rowOnce(({ file, facts }: Placed<OutputFacts>): Output => {
  return {
    name: facts.name,
    description: facts.description ?? '',
    value: facts.value === undefined ? null : facts.value.value,
    sensitive: facts.sensitive ?? false,
    ...(facts.value?.expression ? { value_expression: true as const } : {}),
    ...pick(facts, ['ephemeral', 'deprecated']),
    ...positionOf(file, facts),
  }
})

const toRequirement = rowOnce(({ file, facts }: Placed<RequirementFacts>): ProviderRequirement => {
  const aliases = facts.configurationAliases
  return {
    name: facts.name,
    source: facts.source ?? `hashicorp/${facts.name}`,
    version: facts.version ?? '',
    ...(aliases === undefined ? {} : { configuration_aliases: aliases }),
    ...positionOf(file, facts),
  }
})

const toCall = rowOnce(({ file, facts }: Placed<ModuleCallFacts>): ModuleCall => {
  return {
    name: facts.name,
    source: facts.source ?? '',
    version: facts.version ?? null,
    ...positionOf(file, facts),
  }
})

const toAddress = rowOnce(({ file, facts }: Placed<ResourceFacts>): ResourceAddress => {
  return { type: facts.type, name: facts.name, ...positionOf(file, facts) }
})

function positionOf(file: string, { line }: { readonly line?: number }): { position?: Position } {
  return line === undefined ? {} : { position: { file, line } }
}

/** The stated ones of the optional fields, in the order given. */
function pick<T extends object, K extends keyof T>(facts: T, keys: readonly K[]): Partial<Pick<T, K>> {
  const picked: Partial<Pick<T, K>> = {}
  for (const key of keys) if (facts[key] !== undefined) picked[key] = facts[key]
  return picked
}

function isTruncated({ readme }: SummaryInput): boolean {
  return readme !== undefined && readme.size > README_MAX_BYTES
}

/** `main.tf` and `versions.tf` describe a module best, then the first file. */
function topComments(files: readonly FileFacts[]): string[] {
  const preferred = ['main.tf', 'main.tofu', 'versions.tf', 'versions.tofu']
  const named = preferred.flatMap((name) => files.filter((file) => file.name === name))
  return [...named, ...files.slice(0, 1)].flatMap(({ facts }) => facts.topComment ?? [])
}

function firstLicence(texts: readonly Uint8Array[]): string | null {
  for (const text of texts) {
    const id = licenceId(text)
    if (id !== undefined) return id
  }
  return null
}

/** Files are read side by side: what was found must not depend on which came first. */
function byPlace(a: Diagnostic, b: Diagnostic): number {
  const [left, right] = [`${a.file ?? ''}\0${a.code}`, `${b.file ?? ''}\0${b.code}`]
  return left < right ? -1 : left > right ? 1 : 0
}

function fileDiagnostics({ name, facts }: { name: string; facts: ModuleFacts }): Diagnostic[] {
  return facts.diagnostics.map(({ severity, code, message, line }) => ({
    severity,
    code,
    message,
    file: name,
    ...(line === undefined ? {} : { line }),
  }))
}
