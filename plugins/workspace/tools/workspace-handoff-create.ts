import * as z from 'zod'
import { inWords, taskStarted } from '../../../server/plugin.ts'
import type { RoomAccess } from '../connection/room-access.ts'
import type { Handoff } from '../domain/handoff.ts'
import { taskOf } from '../domain/task.ts'
import type { Joint } from '../joint.ts'
import { createHandoff, type RecordCheck } from '../room/handoffs.ts'
import { untilChanged } from '../room/next-step.ts'
import { changeTool } from './room-tool.ts'
import { HANDOFF, KEY, NEXT } from './shapes.ts'

/** Answers as an MCP task where the caller takes one. */
export function workspaceHandoffCreate(access: RoomAccess, check: RecordCheck, joint: Joint) {
  return changeTool(access, {
    name: 'workspace_handoff_create',
    title: 'Create a handoff',
    description: 'Hand work to a participant or all. Takes record_id, requires, parent_id, idempotency_key.',
    profile: 'standard',
    requires: 'propose',
    path: '/handoff',
    task: true,
    input: z.object({
      title: z.string().describe('Short'),
      objective: z.string().describe('Goal'),
      to: z.string().optional().describe('participant_id; default: anyone'),
      target: z.string().optional().describe('workspace or section:<path>'),
      record: z.record(z.string(), z.unknown()).optional().describe('Handoff record v0.1'),
      parent_id: inWords(z.string().optional().describe('Handoff it continues')),
      record_id: inWords(
        z
          .string()
          .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'must be the id of a record')
          .optional()
          .describe('handoff record that the work continues: resumed on acceptance, continued on review'),
      ),
      requires: inWords(
        z
          .array(z.string().max(40))
          .max(10)
          .optional()
          .describe(
            'what must hold before a result is approved: module_check (HCL blocks of its proposal), fresh (the record), or a kind of evidence',
          ),
      ),
      idempotency_key: KEY,
    }),
    output: HANDOFF.extend({ title: z.string(), objective: z.string(), next: NEXT.optional() }),
    example: { title: 'Check the numbers', objective: 'Every figure in the plan has a source.' },
    before: (_session, input) => joint.accepts(input),
    work: (change, input) => ({ ...createHandoff(change, input, check), ...untilChanged(change) }),
    // A new handoff waits for someone to accept it, also where the caller may review it later.
    answer: (ctx, handoff) => (ctx.acceptsTask ? taskStarted(taskOf(handoff as Handoff, false)) : undefined),
    omits: { '/title': 'what the caller sent', '/objective': 'what the caller sent' },
    // A task answers with it when the handoff was reviewed.
    headline: ({ handoff_id, to, status }) =>
      status === 'created' ? `${handoff_id} is open to ${to ?? 'all'}.` : `${handoff_id} is ${status}.`,
  })
}
