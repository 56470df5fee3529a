import { definePrompt } from '../../server/plugin.ts'
import { getBrief } from './actions/get-record.ts'
import { shownText } from './domain/fence.ts'
import type { Handoffs } from './project.ts'
import { completeId } from './resources.ts'

/** Prompts a person can pick (design handoff, section 13). */
export function handoffPrompts(handoffs: Handoffs) {
  const idArgument = {
    name: 'id',
    description: 'which record; default latest',
    required: false,
    complete: (_ctx: unknown, prefix: string) => completeId(handoffs, prefix),
  }
  return [
    definePrompt({
      name: 'capture-handoff',
      title: 'Write a handoff',
      description: 'Writes down the work of this session so that another can go on.',
      arguments: [
        { name: 'goal', description: 'what the work is for', required: false },
        { name: 'trigger', description: 'why now', required: false },
      ],
      render: async (_ctx, { goal, trigger }) => captureText(goal, trigger),
    }),
    definePrompt({
      name: 'resume-handoff',
      title: 'Resume a handoff',
      description: 'Goes on from a handoff record.',
      arguments: [idArgument],
      async render(ctx, { id = 'latest' }) {
        const project = await handoffs.project(ctx, undefined)
        const { id: found, text } = await getBrief(handoffs, project, id)
        return resumeText(found, text)
      },
    }),
    definePrompt({
      name: 'review-handoff',
      title: 'Review a handoff',
      description: 'Checks whether somebody else could go on from a record.',
      arguments: [{ ...idArgument, required: true }],
      render: async (_ctx, { id = 'latest' }) => reviewText(shownText(id).slice(0, 60)),
    }),
  ]
}

function captureText(goal: string | undefined, trigger: string | undefined): string {
  return [
    'Write a handoff of this session with handoff_create, so that somebody who knows nothing of it can go on.',
    goal ? `The goal: ${shownText(goal)}` : 'State the objective in one sentence.',
    trigger ? `Why now: ${shownText(trigger)}` : '',
    '- evidence: only what was run or seen, with its result; nothing you believe.',
    '- failed_attempts: every approach that did not work, and why, so that nobody repeats it.',
    '- decisions: what was chosen, why, and what else was considered.',
    '- open_items: what is left; the first one high, with a suggested_action that can be done at once and an acceptance_check.',
    '- current_state: where things stand now, in plain words.',
    'Then call handoff_validate with the id you got, and correct what fails with handoff_update.',
  ]
    .filter((line) => line !== '')
    .join('\n')
}

function resumeText(id: string, brief: string): string {
  return [
    `Go on from handoff ${id}.`,
    '1. Call handoff_freshness for it: check what changed since before you trust what it says.',
    '2. Restate the objective and the next action in your own words before you act.',
    '3. Call handoff_check_plan before you try something, and do not retry what failed.',
    '4. Call handoff_resume to claim it.',
    '',
    brief,
  ].join('\n')
}

function reviewText(id: string): string {
  return [
    `Review handoff ${id} as if you had to go on from it without asking anybody.`,
    `1. Call handoff_validate {"id": ${JSON.stringify(id)}} and handoff_get for it.`,
    '2. Say what is missing: objective, state, a first step that can be done at once, criteria for done, reasons of decisions, evidence with results, what failed.',
    '3. Say which statements are not backed by evidence.',
    '4. Propose the smallest handoff_update that makes it usable; change nothing unasked.',
  ].join('\n')
}
