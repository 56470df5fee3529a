import { isJsonObject } from '../../../server/plugin.ts'
import { type GivenItem, numberItems } from './item-ids.ts'
import { artifactOf, decisionOf, evidenceOf, failedAttemptOf, openItemOf, riskOf } from './new-items.ts'
import {
  discoveries,
  failedAttempts,
  type Handoff,
  ITEM_COLLECTIONS,
  type ItemCollection,
  inProgress,
  type Relation,
  SCHEMA_ID,
  SCHEMA_VERSION,
} from './record.ts'
import { findRestated, inheritedOf } from './restated-items.ts'

/** The fields of a record that an author gives. */
export interface Authored {
  readonly title?: string | undefined
  readonly objective?: string | undefined
  readonly current_state?: string | undefined
  readonly scope?: readonly string[] | undefined
  readonly constraints?: readonly string[] | undefined
  readonly definition_of_done?: readonly string[] | undefined
  readonly completed?: readonly string[] | undefined
  readonly in_progress?: readonly string[] | undefined
  readonly discoveries?: readonly string[] | undefined
  readonly why_it_matters?: string | undefined
  readonly decisions?: readonly GivenItem[] | undefined
  readonly evidence?: readonly GivenItem[] | undefined
  readonly failed_attempts?: readonly GivenItem[] | undefined
  readonly open_items?: readonly GivenItem[] | undefined
  readonly artifacts?: readonly GivenItem[] | undefined
  readonly risks?: readonly GivenItem[] | undefined
  /** Ids of inherited open items that are done. */
  readonly closes?: readonly string[] | undefined
  readonly trigger?: string | undefined
  readonly extra?: Readonly<Record<string, unknown>> | undefined
}

/** The fields of a record that the program fills in. */
export interface Circumstances {
  readonly id: string
  /** RFC 3339. */
  readonly now: string
  readonly project: Handoff['project']
  readonly origin: Handoff['origin']
  readonly automation: { readonly score: number | null; readonly reasons: readonly string[] }
  readonly lineage: {
    readonly relation: Relation
    readonly parents: readonly string[]
    readonly branch_label: string | null
    readonly merge_basis: readonly string[]
  }
  /** The record whose content a child inherits. */
  readonly inherited?: Handoff | undefined
  /** Ids of inherited evidence that no longer holds. */
  readonly staleEvidence?: ReadonlySet<string> | undefined
  readonly session?: string | undefined
  readonly idempotencyKey?: string | undefined
  readonly requestSha256?: string | undefined
  readonly skeleton?: true | undefined
  /** The record only adds notes to what it continues. */
  readonly notes?: true | undefined
  /** The inherited open item that leads unless the author gives one. */
  readonly next?: string | undefined
  readonly flags?: Handoff['flags'] | undefined
  /** Text that matches no field. */
  readonly unmapped?: string | undefined
}

/** The lineage of a record with one parent; without a parent it is a root. */
export function lineageOf(
  relation: Relation,
  parent: string | undefined,
  branchLabel: string | null = null,
): Circumstances['lineage'] {
  if (parent === undefined) return { relation: 'root', parents: [], branch_label: null, merge_basis: [] }
  return { relation, parents: [parent], branch_label: branchLabel, merge_basis: [] }
}

export interface NewRecord {
  /** Members in the order of the schema. */
  readonly record: Record<string, unknown>
  readonly assigned: Readonly<Record<string, string>>
  /** Ids in `closes` that name no inherited open item. */
  readonly unknownCloses: readonly string[]
  /** Names in `extra` that the schema uses; they were ignored. */
  readonly ignoredExtras: readonly string[]
}

/**
 * Composes a draft from the author's fields and what it inherits. The caller checks it against the schema: items may
 * still hold anything.
 */
export function composeRecord(authored: Authored, around: Circumstances): NewRecord {
  const parent = around.inherited
  const base = inheritance(parent, authored.closes ?? [], around.staleEvidence ?? NONE)
  const { inherited, items, assigned, next } = itemsOf(authored, base.items, around.now)
  const record: Record<string, unknown> = {
    $schema: SCHEMA_ID,
    schema_version: SCHEMA_VERSION,
    id: around.id,
    kind: 'handoff',
    status: 'draft',
    flags: [...(around.flags ?? [])],
    created_at: around.now,
    updated_at: around.now,
    project: around.project,
    origin: around.origin,
    work: workOf(authored, parent),
    summary: summaryOf(authored, parent, { closed: base.closed, isNotes: around.notes === true }),
    decisions: [...inherited.decisions, ...items.decisions],
    artifacts: withArtifacts(parent?.artifacts ?? [], authored.artifacts ?? []),
    evidence: [...inherited.evidence, ...items.evidence],
    failed_attempts: [...inherited.failed_attempts, ...items.failed_attempts],
    open_items: [...inherited.open_items, ...items.open_items],
    risks: withRisks(parent?.risks ?? [], (authored.risks ?? []).map(riskOf)),
    validation: { status: 'not_run', validated_at: null, checks: [], freshness: null },
    lineage: { ...freeLineage(authored, around), ...around.lineage },
    automation: { trigger: authored.trigger ?? 'manual', ...around.automation },
    metagit: authored.extra?.['metagit'] ?? null,
    redactions: [],
  }
  const reserved = (name: string) =>
    !TAKEN_EXTRAS.has(name) && (Object.hasOwn(record, name) || name === 'x_satchel')
  const free = Object.entries(authored.extra ?? {}).filter(([name]) => !Object.hasOwn(record, name))
  return {
    record: {
      ...record,
      ...Object.fromEntries(free.filter(([name]) => !reserved(name))),
      ...ownMember(around, parent && (next ?? openAmong(inherited.open_items, around.next))),
    },
    assigned,
    unknownCloses: base.unknownCloses,
    ignoredExtras: Object.keys(authored.extra ?? {}).filter(reserved),
  }
}

/** Members of `extra` that the record takes although it has members of these names. */
const TAKEN_EXTRAS: ReadonlySet<string> = new Set(['metagit', 'lineage'])

/** Members that an author adds to the lineage, such as where the work was reviewed. */
function freeLineage({ extra }: Authored, { lineage }: Circumstances): Record<string, unknown> {
  const given = extra?.['lineage']
  if (!isJsonObject(given)) return {}
  return Object.fromEntries(Object.entries(given).filter(([name]) => !Object.hasOwn(lineage, name)))
}

/** Inherited and given items, without those that are given again. */
function itemsOf(authored: Authored, inheritedItems: Inheritance['items'], now: string) {
  const taken = ITEM_COLLECTIONS.flatMap((name) => inheritedItems[name].map((item) => String(item['id'])))
  const restated = findRestated(inheritedItems, {
    decisions: authored.decisions ?? [],
    evidence: (authored.evidence ?? []).map((item) => evidenceOf(item, now)),
    failed_attempts: authored.failed_attempts ?? [],
    open_items: authored.open_items ?? [],
  })
  const { fresh, again, labels } = restated
  const { items, assigned, referencesOf } = numberItems(
    {
      decisions: fresh.decisions.map((item) => decisionOf(item, now)),
      evidence: fresh.evidence,
      failed_attempts: fresh.failed_attempts.map(failedAttemptOf),
      open_items: fresh.open_items.map(openItemOf),
    },
    taken,
    labels,
  )
  const inherited = inheritedOf(restated, referencesOf)
  const own = [...inherited.open_items.filter(({ id }) => again.has(String(id))), ...items.open_items]
  return { inherited, items, assigned, next: nextOf(own) }
}

/** The open item that a session goes on with: of those it gives, the first of the highest priority. */
function nextOf(given: readonly GivenItem[]): string | undefined {
  const ranked = ['high', 'medium', 'low'].flatMap((priority) =>
    given.filter((item) => item['priority'] === priority && item['suggested_action']),
  )
  return ranked[0] && String(ranked[0]['id'])
}

function openAmong(items: readonly GivenItem[], id: string | undefined): string | undefined {
  return items.some((item) => item['id'] === id) ? id : undefined
}

function withRisks(inherited: readonly object[], given: readonly Record<string, unknown>[]) {
  const known = new Set(asGiven(inherited).map((risk) => risk['description']))
  return [...asGiven(inherited), ...given.filter((risk) => !known.has(risk['description']))]
}

function ownMember(around: Circumstances, next: string | undefined): Record<string, unknown> {
  const member = {
    ...(next !== undefined && { next }),
    ...(around.session !== undefined && { session: around.session }),
    ...(around.idempotencyKey !== undefined && { idempotency_key: around.idempotencyKey }),
    ...(around.requestSha256 !== undefined && { request_sha256: around.requestSha256 }),
    ...(around.skeleton && { skeleton: true }),
    ...(around.notes && { notes: true }),
    ...(around.unmapped !== undefined && { unmapped: around.unmapped }),
  }
  return Object.keys(member).length === 0 ? {} : { x_satchel: member }
}

function workOf(authored: Authored, parent: Handoff | undefined): Record<string, unknown> {
  const inherited = parent?.work
  return {
    ...inherited,
    title: authored.title ?? inherited?.title ?? '',
    objective: authored.objective ?? inherited?.objective ?? '',
    scope: union(inherited?.scope, authored.scope),
    constraints: union(inherited?.constraints, authored.constraints),
    definition_of_done: union(inherited?.definition_of_done, authored.definition_of_done),
  }
}

/** No record inherits what was done and what is being done, except one that only adds notes. */
function summaryOf(
  authored: Authored,
  parent: Handoff | undefined,
  { closed, isNotes }: { readonly closed: readonly string[]; readonly isNotes: boolean },
): Record<string, unknown> {
  const goesOn = isNotes ? parent : undefined
  return {
    completed: [...(goesOn?.summary.completed ?? []), ...closed, ...(authored.completed ?? [])],
    in_progress: [...(goesOn ? inProgress(goesOn) : []), ...(authored.in_progress ?? [])],
    discoveries: union(parent && discoveries(parent), authored.discoveries),
    current_state: authored.current_state ?? parent?.summary.current_state ?? '',
    why_it_matters: authored.why_it_matters ?? parent?.summary.why_it_matters ?? null,
  }
}

function union(inherited: readonly string[] | undefined, given: readonly string[] | undefined): string[] {
  return [...new Set([...(inherited ?? []), ...(given ?? [])])]
}

/** What a child inherits from its parent. */
interface Inheritance {
  readonly items: Readonly<Record<ItemCollection, readonly Record<string, unknown>[]>>
  /** Descriptions of the open items that `closes` names. */
  readonly closed: readonly string[]
  readonly unknownCloses: readonly string[]
}

/** The items a child inherits, without the open items that `closes` names. */
function inheritance(
  parent: Handoff | undefined,
  closes: readonly string[],
  stale: ReadonlySet<string>,
): Inheritance {
  const open = parent?.open_items ?? []
  const closed = open.filter((item) => closes.includes(item.id))
  const known = new Set(open.map((item) => item.id))
  const closedIds = new Set(closed.map((item) => item.id))
  return {
    items: {
      decisions: parent ? asGiven(parent.decisions) : [],
      evidence: parent ? inheritedEvidence(parent, stale) : [],
      failed_attempts: parent ? asGiven(failedAttempts(parent)) : [],
      // A closed item no longer blocks others.
      open_items: asGiven(open.filter((item) => !closedIds.has(item.id))).map((item) => ({
        ...item,
        blocked_by: Array.isArray(item['blocked_by'])
          ? item['blocked_by'].filter((id) => !closedIds.has(String(id)))
          : [],
      })),
    },
    closed: closed.map((item) => item.description),
    unknownCloses: closes.filter((id) => !known.has(id)),
  }
}

const NONE: ReadonlySet<string> = new Set()

/** Evidence keeps the head at which it was captured; what no longer held is marked, because the child has a head of its own. */
function inheritedEvidence({ evidence, project }: Handoff, stale: ReadonlySet<string>) {
  const head = project.repository?.head ?? null
  return asGiven(evidence).map((item) => ({
    head,
    ...item,
    ...(stale.has(String(item['id'])) && { verdict: 'stale' }),
  }))
}

function asGiven(items: readonly object[]): Record<string, unknown>[] {
  return items.map((item) => ({ ...item }))
}

/** Inherited artifacts; a given artifact replaces one of the same path. */
function withArtifacts(inherited: readonly object[], given: readonly GivenItem[]): Record<string, unknown>[] {
  const fresh = given.map(artifactOf)
  const paths = new Set(fresh.map((artifact) => artifact['path']))
  return [...asGiven(inherited).filter((artifact) => !paths.has(artifact['path'])), ...fresh]
}
