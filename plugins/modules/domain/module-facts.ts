import type { Json, Moved, Validation } from './summary.ts'

/**
 * What one module file states, independent of its name: plain JSON, so that it can be cached by blob id.
 * A field is present only when the block states it; override files and defaults are the summary's business.
 */
export interface ModuleFacts {
  readonly variables: readonly VariableFacts[]
  readonly outputs: readonly OutputFacts[]
  readonly requirements: readonly RequirementFacts[]
  readonly providerBlocks: readonly ProviderBlockFacts[]
  readonly modules: readonly ModuleCallFacts[]
  readonly resources: readonly ResourceFacts[]
  readonly data: readonly ResourceFacts[]
  readonly ephemeral: readonly ResourceFacts[]
  readonly moved: readonly Moved[]
  readonly requiredVersion?: string
  /** The comment block at the top of the file, markers removed; absent when there is none. */
  readonly topComment?: string
  readonly diagnostics: readonly FileDiagnostic[]
  /** How often the reference was asked about this file (0 or 1). */
  readonly referenceReads: number
}

/** A name and its line (from 1); no line in `.tf.json`. */
export interface NamedLine {
  readonly name: string
  readonly line?: number
}

/** A literal, or the source text of an expression. */
export type Stated = { readonly value: Json; readonly expression?: true }

export interface VariableFacts extends NamedLine {
  readonly type?: string
  readonly description?: string
  readonly default?: Stated
  readonly nullable?: boolean
  readonly sensitive?: boolean
  readonly ephemeral?: boolean
  readonly deprecated?: string
  readonly validations?: readonly Validation[]
}

export interface OutputFacts extends NamedLine {
  readonly description?: string
  readonly value?: Stated
  readonly sensitive?: boolean
  readonly ephemeral?: boolean
  readonly deprecated?: string
}

export interface RequirementFacts extends NamedLine {
  readonly source?: string
  readonly version?: string
  readonly configurationAliases?: readonly string[]
}

/** A `provider` block; modules written before `required_providers` state the version there. */
export interface ProviderBlockFacts extends NamedLine {
  readonly version?: string
}

export interface ModuleCallFacts extends NamedLine {
  readonly source?: string
  readonly version?: string
}

export interface ResourceFacts extends NamedLine {
  readonly type: string
  /** Local name of the provider when the block states `provider = …`. */
  readonly provider?: string
}

export interface FileDiagnostic {
  readonly severity: 'error' | 'warning'
  readonly code: string
  readonly message: string
  readonly line?: number
}
