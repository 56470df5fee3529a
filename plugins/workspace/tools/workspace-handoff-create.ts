import { z } from 'zod'
import { inWords, taskStarted } from '../../../server/plugin.ts'
import type { Handoff } from '../domain/handoff.ts'
import { taskOf } from '../domain/task.ts'
import { createHandoff, type RecordCheck } from '../room/handoffs.ts'
import { untilChanged } from '../room/next-step.ts'
import { changeTool, type RoomAccess } from './room-tool.ts'
import { HANDOFF, KEY, NEXT } from './shapes.ts'

/** Answers as an MCP task where the caller takes one. */
export function workspaceHandoffCreate(access: RoomAccess, check: RecordCheck) {
  return changeTool(access, {
    name: 'workspace_handoff_create',
    title: 'Create a handoff',
    description: 'Hand work to a participant, or to anyone who accepts it. Takes parent_id, idempotency_key.',
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
      idempotency_key: KEY,
    }),
    output: HANDOFF.extend({ title: z.string(), objective: z.string(), next: NEXT.optional() }),
    example: { title: 'Check the numbers', objective: 'Every figure in the plan has a source.' },
    work: (change, input) => ({ ...createHandoff(change, input, check), ...untilChanged(change) }),
    // A new handoff waits for someone to accept it, also where the caller may review it later.
    answer: (ctx, handoff) => (ctx.acceptsTask ? taskStarted(taskOf(handoff as Handoff, false)) : undefined),
    omits: { '/title': 'what the caller sent', '/objective': 'what the caller sent' },
    headline: ({ handoff_id, to }) => `${handoff_id} is open to ${to ?? 'all'}.`,
  })
}
