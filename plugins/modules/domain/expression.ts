/** An expression of HCL as its parts. Offsets count in the text that was parsed. */

/** A step from a value to a part of it; a splat goes to every element. */
export type Step =
  | { readonly kind: 'attribute'; readonly name: string }
  | { readonly kind: 'index'; readonly key: Expression }
  | { readonly kind: 'splat' }

/** `template`: text with parts that are evaluated. `for`: without a `key` it gives a list, as a directive of a template a text. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'template'; readonly parts: readonly Expression[] }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | {
      readonly kind: 'object'
      readonly entries: readonly { readonly key: Expression; readonly value: Expression }[]
    }
  | { readonly kind: 'name'; readonly root: string; readonly offset: number }
  | { readonly kind: 'step'; readonly of: Expression; readonly step: Step }
  | {
      readonly kind: 'call'
      readonly name: string
      readonly args: readonly Expression[]
      readonly offset: number
      /** The last argument is a list of arguments. */
      readonly isSpread?: true
    }
  | { readonly kind: 'operation'; readonly sign: string; readonly of: readonly Expression[] }
  | {
      readonly kind: 'choice'
      readonly condition: Expression
      readonly yes: Expression
      readonly no: Expression
    }
  | {
      readonly kind: 'for'
      readonly names: readonly string[]
      readonly of: Expression
      readonly key?: Expression
      readonly value: Expression
      readonly only?: Expression
    }
