import type { Drift } from './drift.ts'
import { shownLine, shownText } from './fence.ts'
import { firstNextAction } from './next-action.ts'
import { discoveries, failedAttempts, type Handoff, inProgress, type OpenItem } from './record.ts'

/** One entry of a brief: a label and a text. */
export interface BriefEntry {
  readonly lead: string
  readonly text: string
}

/** A part of a brief whose entries may be left out. */
export interface BriefSection {
  readonly name: string
  readonly title: string
  /** Shows what was left out. */
  readonly pointer: string
  readonly entries: readonly BriefEntry[]
}

const entry = (lead: string, text: string): BriefEntry => ({ lead, text })

/**
 * What a brief always shows, in order: title, objective, next action and how it is accepted, when the work is done,
 * constraints, what not to retry.
 */
export function reservedEntries(record: Handoff): readonly BriefEntry[] {
  const next = firstNextAction(record)
  const avoid = failedAttempts(record).filter((attempt) => attempt.avoid_repeating)
  return [
    entry('Title: ', shownLine(record.work.title)),
    entry('Objective: ', body(record.work.objective)),
    next
      ? entry(
          `Next action (${next.id}, ${next.priority}): `,
          body(`${next.suggested_action} - ${next.description}`),
        )
      : entry('Next action: ', 'no next action recorded'),
    ...(next?.acceptance_check ? [entry('Accepted when: ', body(next.acceptance_check))] : []),
    ...record.work.definition_of_done.map((text) => entry('Done when: ', body(text))),
    ...record.work.constraints.map((text) => entry('Constraint: ', body(text))),
    ...avoid.map(({ id, approach, outcome, reason }) =>
      entry(`Do not retry (${id}): `, body(because(approach, [outcome, reason]))),
    ),
  ]
}

/** The other parts, most important first (design handoff, section 9). */
export function optionalSections(record: Handoff, drift: Drift | undefined): readonly BriefSection[] {
  const first = firstNextAction(record)
  const others = record.open_items.filter((item) => item !== first)
  const shown = new Set(record.decisions.flatMap((item) => item.evidence_ids))
  const cited = record.evidence.filter((item) => shown.has(item.id))
  const sections: BriefSection[] = [
    section('current_state', 'Current state', '/summary/current_state', [
      entry('', body(record.summary.current_state)),
    ]),
    section('open_high', 'High open items', '/open_items', others.filter(isHigh).map(openEntry)),
    section(
      'decisions',
      'Decisions',
      '/decisions',
      record.decisions.map((item) => entry(`${item.id}: `, body(because(item.decision, [item.rationale])))),
    ),
    section('drifted_artifacts', 'Files that changed since', '/artifacts', driftEntries(drift)),
    section(
      'evidence',
      'Evidence for the decisions',
      '/evidence',
      cited.map((item) =>
        entry(`${item.id} (${item.type}): `, body(because(item.claim, [item.result, item.ref]))),
      ),
    ),
    section(
      'open_items',
      'Other open items',
      '/open_items',
      others.filter((item) => !isHigh(item)).map(openEntry),
    ),
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
  ]
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
  const text = because(item.description, [item.suggested_action && `next: ${item.suggested_action}`])
  return entry(`${item.id} ${item.priority}: `, body(text) + blocked)
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
