/** What the files of a directory declare, and which names they read. */
import type { Expression } from './expression.ts'
import type { NameRead } from './names-read.ts'

export type DeclaredKind = 'var' | 'local' | 'module' | 'resource' | 'data' | 'ephemeral' | 'provider'

/** How often a block counts: once, or as `count` or `for_each` says. `unknown`: an override file may say it. */
export type Repetition = 'one' | 'count' | 'for_each' | 'unknown'

/** A block or local value. The name of a resource is `type.name`; that of a provider is its local name. */
export interface DeclaredName {
  readonly kind: DeclaredKind
  readonly name: string
  readonly repetition?: Repetition
  /** That of a local value, where it is understood. */
  readonly value?: Expression
}

/** A reading and where it is. */
export interface PlacedRead extends NameRead {
  /** Absent: the only text. */
  readonly file?: string
  readonly line: number
  /** The name of the `module` block that it is in. */
  readonly call?: string
  /** The argument or the kind of inner block that it is in, as in `ConfigurationNames`. Absent: not known. */
  readonly part?: string
  /** In `depends_on`, where an address is meant and no value. */
  readonly isAddress?: true
  /** Terraform may never look at it: the content of a dynamic block for no element, a provider that nothing uses. */
  readonly isConditional?: true
}

/** A `moved` or `removed` block: its addresses, and where it is. */
export interface Departure {
  readonly block: 'moved' | 'removed'
  readonly from: NameRead
  readonly to?: NameRead
  /** Absent: the only text. */
  readonly file?: string
  readonly line: number
}

/** The expression of what Terraform keeps: the value of an output, or how often a resource counts. */
export interface KeptExpression {
  readonly argument: 'value' | 'count' | 'for_each'
  /** The name of the output, or the address of the resource. */
  readonly name: string
  readonly text: string
  readonly part: string
  /** Absent: the only text. */
  readonly file?: string
  readonly line: number
}

/** The names of one or more files. `isSure`: every declaration was understood. */
export interface ConfigurationNames {
  readonly declared: readonly DeclaredName[]
  readonly reads: readonly PlacedRead[]
  readonly departures: readonly Departure[]
  /** Of files in HCL. */
  readonly kept: readonly KeptExpression[]
  readonly isSure: boolean
}

/** The names of a file. `parts`: what an override file states, and so replaces. */
export interface FileNames extends ConfigurationNames {
  readonly parts: readonly string[]
}

/** An argument of a block, or all inner blocks of one type: what an override file replaces as one. */
export function partOf({ type, labels }: { type: string; labels: readonly string[] }, name: string): string {
  return JSON.stringify([type, ...labels, name])
}
