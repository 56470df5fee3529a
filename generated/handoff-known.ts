/** Written by scripts/generate.ts; do not edit. */

/**
 * The state of a unit of work, so that a later session, agent or human, can resume it.
 */
export interface HandoffKnown {
  $schema: 'https://baton.dev/schemas/handoff/v0.1.json' | 'https://threadline.dev/schemas/handoff/v0.1.json'
  schema_version: string
  id: string
  kind: 'handoff'
  status: 'draft' | 'validated' | 'ready' | 'resumed' | 'superseded' | 'archived'
  flags: ('invalid' | 'conflicted')[]
  created_at: string
  updated_at: string
  project: Project
  origin: Origin
  work: Work
  summary: Summary
  decisions: Decision[]
  artifacts: Artifact[]
  evidence: Evidence[]
  failed_attempts?: FailedAttempt[]
  open_items: OpenItem[]
  risks: Risk[]
  validation: Validation
  lineage: Lineage
  automation: Automation
  metagit?: {
    project_id: string | null
    objective_id: string | null
    session_id: string | null
  } | null
  redactions: Redaction[]
}
export interface Project {
  id: string
  root_hint: string
  repository: {
    vcs: string | null
    remote_hint: string | null
    head: string | null
    dirty: boolean | null
  } | null
}
export interface Origin {
  harness: 'generic' | 'codex' | 'claude-code' | 'cursor' | 'gemini-cli'
  adapter_version: string | null
  session_id: string | null
  model: string | null
  actor: {
    type: 'agent' | 'human' | 'mixed'
    name: string | null
  } | null
}
export interface Work {
  title: string
  objective: string
  scope: string[]
  constraints: string[]
  definition_of_done: string[]
}
export interface Summary {
  completed: string[]
  in_progress?: string[]
  discoveries?: string[]
  current_state: string
  why_it_matters: string | null
}
export interface Decision {
  id: string
  decision: string
  rationale: string | null
  alternatives_considered: string[]
  evidence_ids: string[]
  made_at: string
}
export interface Artifact {
  path: string
  role: 'modified' | 'created' | 'read' | 'generated'
  description: string | null
  revision: string | null
  content_hash: string | null
  sensitive: boolean
}
export interface Evidence {
  id: string
  type: 'command' | 'test' | 'file' | 'commit' | 'url' | 'human' | 'observation'
  claim: string
  ref: string | null
  captured_at: string
  result: string | null
  digest: string | null
}
export interface FailedAttempt {
  id: string
  approach: string
  outcome: 'failed' | 'regressed' | 'abandoned' | null
  reason: string | null
  evidence_ids: string[]
  avoid_repeating: boolean
}
export interface OpenItem {
  id: string
  priority: 'high' | 'medium' | 'low'
  description: string
  suggested_action: string | null
  blocked_by: string[]
  acceptance_check: string | null
}
export interface Risk {
  description: string
  severity: 'high' | 'medium' | 'low'
  mitigation: string | null
}
export interface Validation {
  status: 'pass' | 'warn' | 'fail' | 'not_run'
  validated_at: string | null
  checks: Check[]
  freshness: {
    git_head_at_capture: string | null
    git_head_now: string | null
    stale: boolean
  } | null
}
export interface Check {
  name: string
  status: 'pass' | 'warn' | 'fail' | 'skipped'
  detail: string
}
export interface Lineage {
  parents: string[]
  relation: 'root' | 'continue' | 'fork' | 'merge' | 'amend'
  branch_label: string | null
  merge_basis: string[]
}
export interface Automation {
  trigger: 'manual' | 'threshold' | 'hook' | 'timeout' | 'pre_compaction'
  score: number | null
  reasons: string[]
}
export interface Redaction {
  field: string
  reason: string
  replacement: string
}
