import type { Expression } from './expression.ts'
import type { Json } from './summary.ts'

/** What is known of a value without evaluating expressions. */
export type GivenValue =
  | { readonly kind: 'literal'; readonly value: Json }
  | { readonly kind: 'list'; readonly items: readonly GivenValue[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [key: string, value: GivenValue])[] }
  | { readonly kind: 'expression' /** Where it was understood. */; readonly of?: Expression }
