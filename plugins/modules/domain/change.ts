/** What a difference between two versions of a module means for its users. */

/**
 * The order of verdicts. `review`: a change of the code that the interface does not show and no rule can class; what is
 * certainly breaking or minor decides before it.
 */
export const CHANGE_CLASSES = ['breaking', 'minor', 'review', 'patch'] as const
export type ChangeClass = (typeof CHANGE_CLASSES)[number]

/** One change. `subject` is the name, address or path it is about. */
export interface Change {
  readonly class: ChangeClass
  readonly code: string
  readonly subject: string
  readonly message: string
}

/** Makes a change. */
export function change(rank: ChangeClass, code: string, subject: string, message: string): Change {
  return { class: rank, code, subject, message }
}
