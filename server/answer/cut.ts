/** A part of a long string, as an answer shows it. */
export class CutText {
  readonly text: string
  /** `lines 1–120 of 400`. */
  readonly shown: string

  constructor(text: string, shown: string) {
    this.text = text
    this.shown = shown
  }
}

/** A part of a long list, as an answer shows it. */
export class CutList {
  readonly entries: readonly unknown[]
  /** Number of the first entry in the whole list, from 1. */
  readonly first: number
  /** `11–20 of 40`. */
  readonly shown: string

  constructor(entries: readonly unknown[], first: number, shown: string) {
    this.entries = entries
    this.first = first
    this.shown = shown
  }
}
