import * as z from 'zod'
import { CAPABILITIES, EVIDENCE_VERDICTS, inWords, untrusted } from '../../../server/plugin.ts'
import { EVENT_TYPES } from '../domain/event.ts'
import { LIMITS } from '../domain/limits.ts'

/** Output schemas of the room's tools and routes, one for each kind of row. */
const moment = z.string()
const capabilities = z.array(z.enum(CAPABILITIES))

export const PARTICIPANT = z.object({
  participant_id: z.string(),
  kind: z.enum(['human', 'agent']),
  name: untrusted('name of a participant', { line: true }),
  /** A word of the name has letters of several scripts: it may pass for another name. */
  mixed_script: z.literal(true).optional(),
  capabilities,
  joined_at: moment,
  last_seen: moment,
  left_at: moment.optional(),
})

export const SESSION = z.object({
  session_id: z.string(),
  participant_id: z.string(),
  capabilities,
  audience: z.enum(['ingress', 'owner', 'local']),
  transport: z.enum(['http', 'browser', 'stdio']),
  invite_id: z.string().optional(),
  issued_at: moment,
  expires_at: moment,
  ended_at: moment.optional(),
  end_reason: z.enum(['expired', 'revoked', 'left']).optional(),
})

export const PROPOSAL_STATUS = z.enum([
  'pending',
  'approved',
  'rejected',
  'committed',
  'conflicted',
  'superseded',
])

export const PROPOSAL = z.object({
  proposal_id: z.string(),
  participant_id: z.string(),
  target: z.string(),
  base_version: z.number(),
  base_region_hash: z.string(),
  content_bytes: z.number(),
  summary: untrusted('summary of a proposal'),
  status: PROPOSAL_STATUS,
  reviewer_id: z.string().optional(),
  reviewed_at: moment.optional(),
  reason: untrusted('reason of a review').optional(),
  committed_version: z.number().optional(),
  rebased_from: z.string().optional(),
  created_at: moment,
})

/** What the text of a proposal leaves out. */
export const PROPOSAL_OMITS = { '/base_region_hash': 'a hash that no call takes' } as const

export const PROPOSAL_WITH_CONTENT = PROPOSAL.extend({
  content: untrusted('proposed text', { exact: true }).optional(),
  diff: untrusted('proposed change').optional(),
  diff_truncated: z.boolean().optional(),
})

export const LEASE = z.object({
  lease_id: z.string(),
  participant_id: z.string(),
  target: z.string(),
  fence: z.number(),
  status: z.enum(['active', 'released', 'expired']),
  acquired_at: moment,
  expires_at: moment,
})

export const INVITE = z.object({
  invite_id: z.string(),
  capabilities,
  target: z.string().optional(),
  max_uses: z.number().optional(),
  used_count: z.number(),
  expires_at: moment,
  revoked_at: moment.optional(),
  created_by: z.string(),
})

export const HANDOFF_STATUS = z.enum([
  'created',
  'accepted',
  'result_ready',
  'approved',
  'rejected',
  'cancelled',
])

export const HANDOFF = z.object({
  handoff_id: z.string(),
  task_id: z.string(),
  from: z.string(),
  to: z.string().optional(),
  acceptor: z.string().optional(),
  title: untrusted('title of a handoff'),
  objective: untrusted('objective of a handoff'),
  target: z.string().optional(),
  base_version: z.number(),
  has_record: z.boolean(),
  parent_id: z.string().optional(),
  record_id: z.string().optional(),
  requires: z.array(z.string()).optional(),
  checks: z
    .array(
      z.object({
        requirement: z.string(),
        verdict: z.enum(EVIDENCE_VERDICTS),
        reason: untrusted('finding of a check'),
      }),
    )
    .optional(),
  left_record: z.string().optional(),
  proposal_id: z.string().optional(),
  result_summary: untrusted('summary of a result').optional(),
  result: untrusted('result of a handoff').optional(),
  reason: untrusted('reason of a review').optional(),
  status: HANDOFF_STATUS,
  created_at: moment,
  updated_at: moment,
})

export const VERSION = z.object({
  version: z.number(),
  content_hash: z.string(),
  bytes: z.number(),
  target: z.string(),
  summary: untrusted('summary of a version'),
  actor_id: z.string().optional(),
  source: z.enum(['bootstrap', 'commit', 'proposal', 'external']),
  proposal_id: z.string().optional(),
  created_at: moment,
})

export const EVENT = z.object({
  event_id: z.number(),
  event_type: z.enum(EVENT_TYPES),
  schema_version: z.literal(1),
  workspace_id: z.string(),
  created_at: moment,
  version: z.number().optional(),
  actor_id: z.string().optional(),
  payload: z.record(
    z.string(),
    z.union([untrusted('text of an event'), z.number(), z.boolean(), z.array(z.string())]),
  ),
})

export const COMMIT = z.object({
  version: z.number(),
  content_hash: z.string(),
  proposal_id: z.string().optional(),
  superseded: z.array(z.string()),
})

/** Only where the file is not the newest version. */
export const FILE_NOTE = {
  substrate: inWords(z.enum(['missing', 'invalid', 'unwritten']).optional()),
  file: inWords(z.string().optional()),
}

export const STATUS = z.object({
  workspace_id: z.string(),
  name: z.string(),
  path: z.string().optional(),
  lifecycle: z.enum(['ACTIVE', 'STOPPED']),
  ...FILE_NOTE,
  substrate: z.enum(['ok', 'missing', 'invalid', 'unwritten']),
  version: z.number(),
  content_hash: z.string(),
  bytes: z.number(),
  updated_at: moment,
  staleness: z.enum(['strict', 'section']),
  instance_id: z.string(),
  counts: z.object({
    pending_proposals: z.number(),
    active_leases: z.number(),
    participants: z.number(),
  }),
  you: PARTICIPANT.pick({ participant_id: true, name: true, kind: true, capabilities: true }),
})

export const SECTION = z.object({
  target: z.string(),
  level: z.number(),
  line: z.number(),
  lines: z.number(),
  bytes: z.number(),
})

/** The call to make next. */
export const NEXT = z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()) })

/** A truncated result, and the safe call that continues it. */
export const TRUNCATED = z.object({
  reason: z.string(),
  total_bytes: z.number().optional(),
  next: NEXT,
})

export const KEY = inWords(z.string().optional().describe('Runs once per key'))
export const LIMIT = inWords(z.int().optional().describe(`At most ${LIMITS.listRows}`))
export const CURSOR = inWords(z.string().optional().describe('next_cursor of the previous page'))
export const NEXT_CURSOR = z.string().optional()
