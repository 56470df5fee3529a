/** That an answer was cut, and the call that reads on. */
export interface Truncated {
  readonly reason: 'over_budget'
  /** Part of the answer -> entries that are not in it. */
  readonly left_out: Readonly<Record<string, number>>
  readonly next: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
}
