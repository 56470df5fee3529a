/**
 * From best to worst. `moved`: true, but under another name now; `stale`: its basis changed since; `contradicted`: its
 * basis shows otherwise.
 */
export const EVIDENCE_VERDICTS = ['holds', 'moved', 'unverifiable', 'stale', 'contradicted'] as const
/** One of `EVIDENCE_VERDICTS`. */
export type EvidenceVerdict = (typeof EVIDENCE_VERDICTS)[number]

/** What is true of evidence now, and why, in one line. */
export interface EvidenceFinding {
  readonly verdict: EvidenceVerdict
  readonly reason: string
}

/** What was seen, small enough to be stored with a claim, and its state at that moment. */
export interface CapturedEvidence extends EvidenceFinding {
  readonly facts: Readonly<Record<string, unknown>>
}

/** Where evidence is looked at. */
export interface EvidencePlace {
  /** Absolute: the project that the claim is about. */
  readonly root: string
  /** Aborts at the time limit of the host. */
  readonly signal: AbortSignal
}

/**
 * A kind of evidence that a plugin provides. A claim stores the facts in a member named after the kind; any plugin may
 * have them checked again later, on this machine or another. Reads only, and runs nothing that the facts name.
 */
export interface EvidenceKind {
  /** `^[a-z][a-z0-9_]{1,39}$`, such as `module`. */
  readonly name: string
  /** One line for authors: what `capture` takes. */
  readonly takes: string
  /** Looks at what the author names, which may be of any shape. Errors: a refusal, if it names nothing. */
  capture(named: unknown, place: EvidencePlace): Promise<CapturedEvidence>
  /**
   * Looks again. The facts come from a record, so they may be of any shape and of another machine: what cannot be told is
   * `unverifiable` with the reason. A call that throws or takes more than 3 s counts as that.
   */
  verify(facts: Readonly<Record<string, unknown>>, place: EvidencePlace): Promise<EvidenceFinding>
  /** Names the facts in one line; pure. */
  describe(facts: Readonly<Record<string, unknown>>): string
}

/** The kinds of evidence of all plugins, as one plugin sees them. A plugin that is not there provides none. */
export interface EvidenceKinds {
  /** Names of the kinds. */
  names(): Promise<readonly string[]>
  /** Errors: `invalid`/`evidence_unknown`, `unavailable`/`evidence_timeout`, and those of the kind. */
  capture(kind: string, named: unknown, root: string): Promise<CapturedEvidence & { readonly text: string }>
  /** Never rejects. */
  verify(kind: string, facts: unknown, root: string): Promise<EvidenceFinding>
}
