import * as z from 'zod'
import { defineTool, inWords } from '../../../server/plugin.ts'
import { findRecord } from '../actions/find-record.ts'
import { DEFAULT_ANSWER_TOKENS, MAX_ANSWER_TOKENS } from '../domain/answer-budget.ts'
import { diffWithin } from '../domain/diff-budget.ts'
import { readJson } from '../domain/json-text.ts'
import { diffRecords } from '../domain/record-diff.ts'
import type { Handoffs, Project } from '../project.ts'
import { refusals } from '../reasons.ts'
import { answerFields, list, projectField, RECORD_IDS, truncatedShape } from './shared-fields.ts'

/** `handoff_diff`: differences of two records. */
export function diffTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_diff',
    title: 'Compare handoffs',
    description:
      'Compares two records, each an id or the record itself: what was added, removed and changed from a to b, with JSON pointers. Items match by id and text, not position. Differences over max_tokens (8000) are counted in truncated; its next call reads on.',
    profile: 'full',
    input: () =>
      z.object({
        a: z.unknown().describe('the earlier one'),
        b: z.unknown().describe('the later one'),
        max_tokens: inWords(
          z.number().min(1).max(MAX_ANSWER_TOKENS).default(DEFAULT_ANSWER_TOKENS).describe('longest answer'),
        ),
        project: projectField,
      }),
    output: () =>
      z.object({
        summary: z.string(),
        added: list(z.object({ pointer: z.string(), value: z.unknown() })),
        removed: list(z.object({ pointer: z.string(), value: z.unknown() })),
        changed: list(z.object({ pointer: z.string(), before: z.unknown(), after: z.unknown() })),
        by_section: z.record(z.string(), z.number()),
        truncated: truncatedShape.optional(),
        ...answerFields,
      }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    maxResultChars: 500_000,
    http: { method: 'POST', path: '/handoffs/diff' },
    cli: {
      verb: 'handoff diff',
      positional: ['a', 'b'],
      completes: { a: RECORD_IDS, b: RECORD_IDS },
      example: 'satchel handoff diff a1b2c3d4 latest',
    },
    example: { a: { kind: 'handoff' }, b: { kind: 'handoff', status: 'draft' } },
    async handler(ctx, input) {
      const project = await handoffs.project(ctx, input.project)
      const [a, b] = [await sideOf(project, 'a', input.a), await sideOf(project, 'b', input.b)]
      const ids = { a: idOf(input.a), b: idOf(input.b) }
      return { root: project.root, ...diffWithin(diffRecords(a, b), ids, input.max_tokens) }
    },
    headline: ({ summary }) => summary.slice(0, 300),
  })
}

function idOf(given: unknown): string | undefined {
  return typeof given === 'string' && !isRecordText(given) ? given : undefined
}

function isRecordText(given: string): boolean {
  return given.trimStart().startsWith('{')
}

/** A text that starts like an object is a record as JSON, any other an id. */
async function sideOf(project: Project, name: string, given: unknown): Promise<unknown> {
  if (typeof given !== 'string') {
    if (typeof given === 'object' && given !== null) return given
    throw refusals.not_a_record({ name }, { errors: [{ pointer: `/${name}`, message: 'an id or a record' }] })
  }
  if (!isRecordText(given)) return (await findRecord(project, given)).document.value
  const reading = readJson(given)
  if (reading.kind === 'read') return reading.document.value
  const { line, column } = reading.fault
  throw refusals.bad_json({ what: name, line, column }, { details: { line, column } })
}
