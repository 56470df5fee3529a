/** The structure of a module file: blocks, labels and attributes whose values are not yet evaluated. */
import type { Json } from '../domain/summary.ts'

/** A value as written in the file: source text of HCL, or a value of JSON. Lines count from 1. */
export type Attribute =
  | { readonly kind: 'source'; readonly text: string; readonly line: number }
  | { readonly kind: 'json'; readonly value: Json; readonly line?: number }

/** Attributes in source order; a Map, because `__proto__` is an ordinary name. */
export interface Body {
  readonly attributes: ReadonlyMap<string, Attribute>
  readonly blocks: readonly Block[]
}

/** `type "label" … { body }`; no lines where the file is JSON. */
export interface Block {
  readonly type: string
  readonly labels: readonly string[]
  readonly body: Body
  readonly line?: number
  readonly endLine?: number
}
