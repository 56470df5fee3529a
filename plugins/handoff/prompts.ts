import { definePrompt } from '../../server/plugin.ts'
import { getBrief } from './actions/get-record.ts'
import { shownText } from './domain/fence.ts'
import type { Handoffs } from './project.ts'
import { completeId } from './resources.ts'

/** Prompts that a user can choose (design handoff, section 13). */
export function handoffPrompts(handoffs: Handoffs) {
  const idArgument = {
    name: 'id',
    description: 'id of the record; default latest',
    required: false,
    complete: (_ctx: unknown, prefix: string) => completeId(handoffs, prefix),
  }
  return [
    definePrompt({
      name: 'capture-handoff',
      title: 'Write a handoff',
      description: 'Writes a handoff of this session so that another session can continue.',
      arguments: [
        { name: 'goal', description: 'what the work is for', required: false },
        { name: 'trigger', description: 'why you write it now', required: false },
      ],
      render: async (_ctx, { goal, trigger }) => captureText(goal, trigger),
    }),
    definePrompt({
      name: 'resume-handoff',
      title: 'Resume a handoff',
      description: 'Continues from a handoff record.',
      arguments: [idArgument],
      async render(ctx, { id = 'latest' }) {
        const project = await handoffs.project(ctx, undefined)
        const { id: found, text } = await getBrief(project, id)
        return resumeText(found, text)
      },
    }),
    definePrompt({
      name: 'review-handoff',
      title: 'Review a handoff',
      description: 'Checks whether another session could continue from a record.',
      arguments: [{ ...idArgument, required: true }],
      render: async (_ctx, { id = 'latest' }) => reviewText(shownText(id).slice(0, 60)),
    }),
  ]
}

function captureText(goal: string | undefined, trigger: string | undefined): string {
  return [
    'Write a handoff of this session with handoff_create, for a reader who knows nothing about it.',
    goal ? `The goal: ${shownText(goal)}` : 'State the objective in one sentence.',
    ...(trigger ? [`Reason: ${shownText(trigger)}`] : []),
    '',
    '- evidence: only what was run or seen, with its result; no assumptions.',
    '- failed_attempts: every approach that did not work, and why.',
    '- decisions: what was chosen, why, and which alternatives were considered.',
    '- open_items: what is left. Give the first one high priority, a suggested_action that can start immediately and an acceptance_check.',
    '- current_state: the state of the work, in plain words.',
    '',
    'Then call handoff_validate with the returned id, and correct what fails with handoff_update.',
  ].join('\n')
}

function resumeText(id: string, brief: string): string {
  return [
    `Continue from handoff ${id}.`,
    '1. Call handoff_freshness to see what changed since, before you trust the record.',
    '2. Restate the objective and the next action in your own words before you act.',
    '3. Call handoff_check_plan before you try something; do not retry what failed.',
    '4. Call handoff_resume to claim it.',
    '',
    brief,
  ].join('\n')
}

function reviewText(id: string): string {
  return [
    `Review handoff ${id} as if you had to continue from it without asking anyone.`,
    `1. Call handoff_validate {"id": ${JSON.stringify(id)}} and handoff_get for it.`,
    '2. List what is missing: objective, state, a first step that can start immediately, criteria for done, reasons for decisions, evidence with results, failed attempts.',
    '3. List statements without evidence.',
    '4. Propose the smallest handoff_update that makes it usable; change nothing without approval.',
  ].join('\n')
}
