import { isJsonObject } from '../../../server/plugin.ts'
import type { Handoff } from './record.ts'

/**
 * Reads any JSON value as a record; members of the wrong shape count as absent. For checks that run even if the value
 * does not match the schema. The result is never stored or returned.
 */
export function readableRecord(value: unknown): Handoff {
  const root = asObject(value)
  const work = asObject(root['work'])
  const summary = asObject(root['summary'])
  const lineage = asObject(root['lineage'])
  const automation = asObject(root['automation'])
  const readable = {
    $schema: asText(root['$schema']),
    schema_version: asText(root['schema_version']),
    id: asText(root['id']),
    kind: 'handoff',
    status: asText(root['status']),
    flags: asTexts(root['flags']),
    created_at: asText(root['created_at']),
    updated_at: asText(root['updated_at']),
    project: readableProject(asObject(root['project'])),
    origin: { harness: 'generic', adapter_version: null, session_id: null, model: null, actor: null },
    work: {
      title: asText(work['title']),
      objective: asText(work['objective']),
      scope: asTexts(work['scope']),
      constraints: asTexts(work['constraints']),
      definition_of_done: asTexts(work['definition_of_done']),
    },
    summary: {
      completed: asTexts(summary['completed']),
      in_progress: asTexts(summary['in_progress']),
      discoveries: asTexts(summary['discoveries']),
      current_state: asText(summary['current_state']),
      why_it_matters: asTextOrNull(summary['why_it_matters']),
    },
    ...readableItems(root),
    validation: readableValidation(asObject(root['validation'])),
    lineage: {
      parents: asTexts(lineage['parents']),
      relation: asText(lineage['relation']),
      branch_label: asTextOrNull(lineage['branch_label']),
      merge_basis: asTexts(lineage['merge_basis']),
    },
    automation: {
      trigger: asText(automation['trigger']),
      score: typeof automation['score'] === 'number' ? automation['score'] : null,
      reasons: asTexts(automation['reasons']),
    },
    redactions: asObjects(root['redactions']).map((entry) => ({
      field: asText(entry['field']),
      reason: asText(entry['reason']),
      replacement: asText(entry['replacement']),
    })),
  }
  // Enumerations may hold any text here: checks compare them with known values.
  return readable as Handoff
}

function readableProject(project: Fields) {
  const repository = isJsonObject(project['repository']) ? project['repository'] : undefined
  return {
    id: asText(project['id']),
    root_hint: asText(project['root_hint']),
    repository: repository
      ? {
          ...repository, // readers of a free member, such as what is uncommitted, look at its shape
          vcs: asTextOrNull(repository['vcs']),
          remote_hint: asTextOrNull(repository['remote_hint']),
          head: asTextOrNull(repository['head']),
          dirty: typeof repository['dirty'] === 'boolean' ? repository['dirty'] : null,
        }
      : null,
  }
}

function readableItems(root: Fields) {
  return {
    decisions: asObjects(root['decisions']).map((item) => ({
      id: asText(item['id']),
      decision: asText(item['decision']),
      rationale: asTextOrNull(item['rationale']),
      alternatives_considered: asTexts(item['alternatives_considered']),
      evidence_ids: asTexts(item['evidence_ids']),
      made_at: asText(item['made_at']),
    })),
    artifacts: asObjects(root['artifacts']).map((item) => ({
      path: asText(item['path']),
      role: asText(item['role']),
      description: asTextOrNull(item['description']),
      revision: asTextOrNull(item['revision']),
      content_hash: asTextOrNull(item['content_hash']),
      sensitive: item['sensitive'] === true,
      ...(item['deleted'] === true && { deleted: true }),
    })),
    evidence: asObjects(root['evidence']).map((item) => ({
      id: asText(item['id']),
      type: asText(item['type']),
      claim: asText(item['claim']),
      ref: asTextOrNull(item['ref']),
      captured_at: asText(item['captured_at']),
      result: asTextOrNull(item['result']),
      digest: asTextOrNull(item['digest']),
    })),
    failed_attempts: asObjects(root['failed_attempts']).map((item) => ({
      id: asText(item['id']),
      approach: asText(item['approach']),
      outcome: asTextOrNull(item['outcome']),
      reason: asTextOrNull(item['reason']),
      evidence_ids: asTexts(item['evidence_ids']),
      avoid_repeating: item['avoid_repeating'] === true,
    })),
    open_items: asObjects(root['open_items']).map((item) => ({
      id: asText(item['id']),
      priority: asText(item['priority']),
      description: asText(item['description']),
      suggested_action: asTextOrNull(item['suggested_action']),
      blocked_by: asTexts(item['blocked_by']),
      acceptance_check: asTextOrNull(item['acceptance_check']),
    })),
    risks: asObjects(root['risks']).map((item) => ({
      description: asText(item['description']),
      severity: asText(item['severity']),
      mitigation: asTextOrNull(item['mitigation']),
    })),
  }
}

function readableValidation(validation: Fields) {
  return {
    status: asText(validation['status']),
    validated_at: asTextOrNull(validation['validated_at']),
    checks: [],
    freshness: null,
  }
}

type Fields = Readonly<Record<string, unknown>>

function asObject(value: unknown): Fields {
  return isJsonObject(value) ? value : {}
}

/** The elements as objects at their index; an element of another shape becomes an empty object. */
function asObjects(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(asObject) : []
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function asTextOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function asTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []
}
