import type { Json } from '../domain/summary.ts'

/** What the reference parser says about one HCL text. */
export type ReferenceAnswer =
  | { readonly kind: 'read'; readonly value: { readonly [key: string]: Json } }
  /** It read the text and found it wrong. */
  | { readonly kind: 'failed'; readonly message: string }
  /** It could not be asked, or did not answer in time. */
  | { readonly kind: 'unavailable'; readonly message: string }

/** The parser that is asked where our reader is not sure. The caller that opens it closes it. */
export interface Reference {
  /** Never rejects. One text is read at a time; others wait their turn. */
  ask(text: string): Promise<ReferenceAnswer>
  close(): Promise<void>
}
