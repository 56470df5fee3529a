/**
 * The record of a module version: one file, one JSON object, keys in the order written here.
 * The fields up to `readme_content` are those of spec module-ingestion "Module summary"; the rest are additions.
 */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** Where a block starts; `line` counts from 1. Absent for `.tf.json`, which has no lines. */
export interface Position {
  readonly file: string
  readonly line: number
}

/** One finding about the text that was read; never a failure of the run. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning'
  readonly code: string
  readonly message: string
  readonly file?: string
  readonly line?: number
}

/** An input. `required` means: the block states no `default` at all (`default = null` is optional). */
export interface Variable {
  readonly name: string
  /** Source text of the constraint, `any` when absent. */
  readonly type: string
  readonly description: string
  /** The value, or the source text when `default_expression` is set. */
  readonly default: Json
  readonly required: boolean
  readonly nullable?: boolean
  readonly sensitive?: boolean
  readonly ephemeral?: boolean
  readonly deprecated?: string
  readonly default_expression?: true
  readonly validations?: readonly Validation[]
  readonly position?: Position
}

/** One `validation` block of an input; both parts are source text, the message unquoted when it is plain. */
export interface Validation {
  readonly condition: string
  readonly error_message: string
}

/** An output. `value` is the source text when `value_expression` is set. */
export interface Output {
  readonly name: string
  readonly description: string
  readonly value: Json
  readonly sensitive: boolean
  readonly value_expression?: true
  readonly ephemeral?: boolean
  readonly deprecated?: string
  readonly position?: Position
}

/** A provider the module requires, or (`inferred`) only uses. `version` is `""` when no constraint is stated. */
export interface ProviderRequirement {
  readonly name: string
  readonly source: string
  readonly version: string
  readonly configuration_aliases?: readonly string[]
  readonly inferred?: true
  readonly position?: Position
}

/** A nested `module` block. */
export interface ModuleCall {
  readonly name: string
  readonly source: string
  readonly version: string | null
  readonly position?: Position
}

/** The address of a resource, data source or ephemeral resource. */
export interface ResourceAddress {
  readonly type: string
  readonly name: string
  readonly position?: Position
}

/** A `moved` block: both addresses as source text. */
export interface Moved {
  readonly from: string
  readonly to: string
}

export type ModuleKind = 'root' | 'submodule' | 'example'
export type RefKind = 'branch' | 'tag'

/** Marks summaries of this shape. */
export const SUMMARY_SCHEMA = 'satchel.module/1'

/** One module directory at one ref. Written with 2-space JSON and a final newline; holds no time stamp. */
export interface ModuleSummary {
  readonly repository: string
  readonly ref: string
  readonly path: string
  readonly description: string
  readonly variables: readonly Variable[]
  readonly outputs: readonly Output[]
  readonly providers: readonly ProviderRequirement[]
  readonly modules: readonly ModuleCall[]
  readonly readme_content: string
  readonly schema: typeof SUMMARY_SCHEMA
  readonly name: string
  readonly kind: ModuleKind
  readonly ref_kind: RefKind
  readonly commit: string
  readonly required_version: string | null
  readonly resources: readonly ResourceAddress[]
  readonly data: readonly ResourceAddress[]
  readonly ephemeral_resources: readonly ResourceAddress[]
  readonly moved: readonly Moved[]
  readonly licence: string | null
  readonly readme_truncated?: true
  readonly files: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}
