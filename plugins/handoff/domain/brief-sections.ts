import type { JudgedClaim } from './claim-verdicts.ts'
import type { Drift } from './drift.ts'
import { shownLine, shownText } from './fence.ts'
import { parseConflicts, placeOfConflict } from './merge-conflicts.ts'
import { actionOf, firstNextAction } from './next-action.ts'
import {
  discoveries,
  extension,
  type FailedAttempt,
  failedAttempts,
  type Handoff,
  inProgress,
  type OpenItem,
} from './record.ts'

/** One entry of a brief: a label and a text. */
export interface BriefEntry {
  readonly lead: string
  readonly text: string
  /** Id of the item, or its position in its list: a brief lists it by this if its text does not fit. */
  readonly id?: string
}

/** A part of a brief. */
export interface BriefSection {
  readonly name: string
  readonly title: string
  /** JSON pointer under which `handoff_get` shows what was left out. */
  readonly pointer: string
  /** The brief names the ids of entries that it leaves out. */
  readonly isKept?: true
  readonly entries: readonly BriefEntry[]
}

/** What a brief can say, most important first. */
export interface BriefMaterial {
  /** Title, objective, next action and how it is accepted: always shown. */
  readonly opening: readonly BriefSection[]
  /** What the next session must know: shown as far as it fits, in turn. */
  readonly kept: readonly BriefSection[]
  readonly others: readonly BriefSection[]
}

/** How a record compares with the project; nothing is known if the project was not checked. */
interface Checked {
  readonly drift?: Drift
  readonly claims?: readonly JudgedClaim[]
}

/** Collects the parts of a brief (design handoff, section 9). */
export function briefMaterial(record: Handoff, checked: Checked): BriefMaterial {
  return {
    opening: openingSections(record).map((one) => ({ ...one, isKept: true as const })),
    kept: withEntries(keptSections(record, checked.claims ?? [])).map((one) => ({
      ...one,
      isKept: true as const,
    })),
    others: withEntries(otherSections(record, checked.drift)),
  }
}

const entry = (lead: string, text: string, id?: string): BriefEntry => ({
  lead,
  text,
  ...(id !== undefined && { id }),
})

/** The suggested action and, if it differs, the description. */
function stepOf(item: OpenItem): string {
  const action = actionOf(item)
  return action === item.description ? action : `${action} - ${item.description}`
}

function openingSections(record: Handoff): readonly BriefSection[] {
  const { work, open_items } = record
  const next = firstNextAction(record)
  const place = next ? `/open_items/${open_items.indexOf(next)}` : '/open_items'
  return [
    section('title', '', '/work/title', [entry('Title: ', shownLine(work.title))]),
    section('objective', '', '/work/objective', [entry('Objective: ', body(work.objective))]),
    section('next_action', '', place, [
      next
        ? entry(`Next action (${next.id}, ${next.priority}): `, body(stepOf(next)))
        : entry('Next action: ', 'no next action recorded'),
      ...(next?.acceptance_check ? [entry('Accepted when: ', body(next.acceptance_check))] : []),
    ]),
  ]
}

function keptSections(record: Handoff, claims: readonly JudgedClaim[]): readonly BriefSection[] {
  const { work, summary } = record
  const avoid = failedAttempts(record).filter((attempt) => attempt.avoid_repeating)
  return [
    section('conflicts', '', '/x_satchel/conflicts', conflictEntries(record)),
    section('claims', '', '/evidence', brokenClaims(record, claims)),
    section(
      'definition_of_done',
      '',
      '/work/definition_of_done',
      work.definition_of_done.map((text, at) => entry('Done when: ', body(text), `${at}`)),
    ),
    section(
      'constraints',
      '',
      '/work/constraints',
      work.constraints.map((text, at) => entry('Constraint: ', body(text), `${at}`)),
    ),
    section(
      'do_not_retry',
      '',
      '/failed_attempts',
      avoid.map((attempt) => attemptEntry('Do not retry ', attempt)),
    ),
    section('current_state', '', '/summary/current_state', [
      entry('Current state: ', body(summary.current_state)),
    ]),
  ]
}

/** What versions of the record disagree about, each with every position. */
function conflictEntries(record: Handoff): BriefEntry[] {
  return parseConflicts(extension(record).conflicts).map((conflict) => {
    const positions = conflict.positions.map(({ parent, text }) => `${shownLine(parent)}: ${shownText(text)}`)
    const lead = `In conflict (${shownLine(conflict.id)}, ${shownLine(placeOfConflict(conflict))}): `
    return entry(lead, body(positions.join('\n')), conflict.id)
  })
}

/** Evidence whose basis changed or shows otherwise, the worse first. */
function brokenClaims(record: Handoff, claims: readonly JudgedClaim[]): BriefEntry[] {
  const evidence = new Map(record.evidence.map((item) => [item.id, item]))
  return (['contradicted', 'stale'] as const).flatMap((broken) =>
    claims.flatMap(({ evidence_id, verdict, reason }) => {
      const item = evidence.get(evidence_id)
      if (verdict !== broken || !item) return []
      return [
        entry(
          `Does not hold (${item.id}, ${verdict}): `,
          body(because(item.claim, [shownLine(reason)])),
          item.id,
        ),
      ]
    }),
  )
}

function attemptEntry(label: string, { id, approach, outcome, reason }: FailedAttempt): BriefEntry {
  const lead = label === '' ? `${id}: ` : `${label}(${id}): `
  return entry(lead, body(because(approach, [outcome, reason])), id)
}

function otherSections(record: Handoff, drift: Drift | undefined): readonly BriefSection[] {
  const first = firstNextAction(record)
  const others = record.open_items.filter((item) => item !== first)
  const shown = new Set(record.decisions.flatMap((item) => item.evidence_ids))
  const attempts = failedAttempts(record).filter((attempt) => !attempt.avoid_repeating)
  const cited = record.evidence.filter((item) => shown.has(item.id))
  return [
    section('open_high', 'High open items', '/open_items', others.filter(isHigh).map(openEntry)),
    section(
      'commits',
      'Commits since',
      '/project/repository',
      (drift?.commits ?? []).map(({ id, subject }) => entry('', shownLine(`${id} ${subject}`))),
    ),
    section(
      'decisions',
      'Decisions',
      '/decisions',
      record.decisions.map((item) =>
        entry(`${item.id}: `, body(because(item.decision, [item.rationale])), item.id),
      ),
    ),
    section(
      'changed_in_scope',
      'Changed in scope since',
      '/work/scope',
      (drift?.changedInScope ?? []).map((path) => entry('', shownLine(path))),
    ),
    section('drifted_artifacts', 'Files that changed since', '/artifacts', driftEntries(drift)),
    section(
      'other_attempts',
      'Tried before, may be tried again',
      '/failed_attempts',
      attempts.map((attempt) => attemptEntry('', attempt)),
    ),
    section(
      'evidence',
      'Evidence for the decisions',
      '/evidence',
      cited.map((item) =>
        entry(`${item.id} (${item.type}): `, body(because(item.claim, [item.result, item.ref])), item.id),
      ),
    ),
    section(
      'open_items',
      'Other open items',
      '/open_items',
      others.filter((item) => !isHigh(item)).map(openEntry),
    ),
    ...doneSections(record),
  ]
}

function doneSections(record: Handoff): readonly BriefSection[] {
  return [
    section('in_progress', 'In progress', '/summary/in_progress', plain(inProgress(record))),
    section('discoveries', 'Discoveries', '/summary/discoveries', plain(discoveries(record))),
    section('artifacts', 'Files', '/artifacts', record.artifacts.map(artifactEntry)),
    section(
      'risks',
      'Risks',
      '/risks',
      record.risks.map((item) =>
        entry(`${item.severity}: `, body(because(item.description, [item.mitigation]))),
      ),
    ),
    section('completed', 'Completed', '/summary/completed', plain(record.summary.completed)),
    section('unmapped', 'Further text of the imported file', '/x_satchel/unmapped', unmappedEntries(record)),
  ]
}

/** One entry for each paragraph. */
function unmappedEntries(record: Handoff): BriefEntry[] {
  const paragraphs = (extension(record).unmapped ?? '').split(/\n\s*\n/)
  return plain(paragraphs.filter((text) => text.trim() !== ''))
}

function withEntries(sections: readonly BriefSection[]): readonly BriefSection[] {
  return sections.filter(({ entries }) => entries.length > 0)
}

function section(name: string, title: string, pointer: string, entries: readonly BriefEntry[]): BriefSection {
  return { name, title, pointer, entries }
}

function isHigh(item: OpenItem): boolean {
  return item.priority === 'high'
}

function openEntry(item: OpenItem): BriefEntry {
  const blocked =
    item.blocked_by.length > 0 ? ` [blocked by ${item.blocked_by.map(shownLine).join(', ')}]` : ''
  const { description, suggested_action: action } = item
  const text = because(description, [action && action !== description ? `next: ${action}` : null])
  return entry(`${item.id} ${item.priority}: `, body(text) + blocked, item.id)
}

function driftEntries(drift: Drift | undefined): BriefEntry[] {
  return (drift?.artifacts ?? [])
    .filter(({ status }) => status === 'changed' || status === 'missing')
    .map(({ path, status }) => entry('', `${shownLine(path)} (${status})`))
}

/** A sensitive file is shown without its description. */
function artifactEntry(artifact: Handoff['artifacts'][number]): BriefEntry {
  const description = artifact.sensitive
    ? ' (sensitive)'
    : artifact.description
      ? ` - ${shownLine(artifact.description)}`
      : ''
  return entry('', `${shownLine(artifact.path)} (${artifact.role})${description}`)
}

function plain(texts: readonly string[]): BriefEntry[] {
  return texts.map((text) => entry('', body(text)))
}

function because(text: string, more: readonly (string | null)[]): string {
  const kept = more.filter((part) => part !== null && part !== '')
  return kept.length === 0 ? text : `${text} (${kept.join('; ')})`
}

/** Indents further lines of a text, so that they cannot pass for lines of the brief. */
function body(text: string): string {
  return shownText(text).trim().replaceAll('\n', '\n    ')
}
