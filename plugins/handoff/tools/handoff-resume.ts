import * as z from 'zod'
import { defineTool, inWords, plainText } from '../../../server/plugin.ts'
import { resumeForModel, resumeRecord } from '../actions/resume-record.ts'
import { claimSeconds } from '../config.ts'
import { DEFAULT_BRIEF_TOKENS, MAX_BRIEF_TOKENS, MIN_BRIEF_TOKENS } from '../domain/brief.ts'
import type { ModelAnswer } from '../domain/resume-answer.ts'
import type { Handoffs } from '../project.ts'
import { freshnessFields } from './handoff-freshness.ts'
import {
  answerFields,
  anyRecord,
  ID_FORMS,
  list,
  projectField,
  RECORD_IDS,
  recordText,
  truncatedShape,
} from './shared-fields.ts'

const structured = z.object({
  objective: recordText,
  constraints: list(recordText),
  do_not_retry: list(z.object({ id: z.string(), approach: recordText, reason: recordText.nullable() })),
  next_actions: list(
    z.object({ id: z.string(), priority: z.string(), action: recordText, description: recordText }),
  ),
  decisions: list(z.object({ id: z.string(), decision: recordText, rationale: recordText.nullable() })),
  artifacts: list(z.object({ path: z.string(), role: z.string() })),
  open_questions: list(recordText),
})

/** Over MCP the brief says what the optional members say, so that the answer fits into `max_tokens`. */
const resumeOutput = () =>
  z.object({
    brief: z.string(),
    structured: structured.optional(),
    freshness: z.object(freshnessFields).partial().required({ state: true, gate: true }),
    claim: z.object({ by: z.string(), expires_at: z.string() }).nullable(),
    marked: z.boolean(),
    omitted: z.record(z.string(), z.number()).optional().describe('section -> entries left out'),
    truncated: truncatedShape.optional(),
    record: anyRecord.optional(),
    lineage_path: list(z.string()).optional().describe('ids, oldest first'),
    warnings: answerFields.warnings,
    id: z.string(),
    etag: z.string().optional(),
    root: answerFields.root.optional(),
  })
type ResumeOutput = z.output<ReturnType<typeof resumeOutput>>

const OMITTED = {
  '/structured': 'the brief says it',
  '/omitted': 'the brief names what it leaves out',
  '/id': 'in the headline',
  '/etag': 'handoff_get gives it to those who edit',
  '/root': 'the folder of the project, which the caller chose',
} as const

/** `handoff_resume`: continues from a record. */
export function resumeTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_resume',
    title: 'Resume handoff',
    description:
      'Start here to continue earlier work: returns a brief of the latest record (goal, next action, constraints, what not to retry), lists what changed in the repository since, and claims it for this session; mark: false only reads. Also takes claim {by, ttl_s}, format: full (adds the record). conflict/claimed: another session works on it.',
    profile: 'core',
    input: () =>
      z.object({
        id: z.string().default('latest').describe(ID_FORMS),
        max_tokens: z
          .number()
          .min(MIN_BRIEF_TOKENS)
          .max(MAX_BRIEF_TOKENS)
          .default(DEFAULT_BRIEF_TOKENS)
          .describe('answer size'),
        format: inWords(z.enum(['brief', 'full']).default('brief').describe('full adds the record')),
        mark: z.boolean().default(true).describe('mark it as resumed'),
        claim: inWords(
          z
            .object({ by: z.string().max(200).optional(), ttl_s: claimSeconds.optional() })
            .optional()
            .describe('name of the session, and for how many seconds'),
        ),
        project: projectField,
      }),
    output: resumeOutput,
    annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
    maxResultChars: 300_000,
    http: { method: 'POST', path: '/handoffs/{id}/resume', etag: 'etag' },
    cli: { verb: 'handoff resume', positional: ['[id]'], completes: { id: RECORD_IDS }, print: briefIn },
    example: { id: 'latest' },
    async handler(ctx, input) {
      const project = await handoffs.project(ctx, input.project)
      const request = {
        id: input.id,
        maxTokens: input.max_tokens,
        mark: input.mark,
        claim: input.claim,
        withRecord: input.format === 'full',
      }
      return ctx.door === 'mcp'
        ? resumeForModel(ctx, project, request, modelBytes)
        : resumeRecord(ctx, project, request)
    },
    headline,
    omits: OMITTED,
  })
}

function headline({
  id,
  marked,
  freshness: { state, gate },
}: Pick<ResumeOutput, 'id' | 'marked' | 'freshness'>) {
  return `${marked ? 'Resumed' : 'Handoff'} ${id}: ${state}, gate ${gate}`
}

/** The brief of an answer, as a person reads it. */
function briefIn(output: unknown): string {
  return (output as ResumeOutput).brief // this tool's own output
}

/** What a door adds around a record: a fence in the text, a note in the data. */
const RECORD_FRAME_BYTES = 250

/** Size in bytes of the longer form of an answer: its text or its data. */
function modelBytes(answer: ModelAnswer): number {
  const shown = Object.entries(answer).filter(([name]) => !Object.hasOwn(OMITTED, `/${name}`))
  const text = `${headline(answer)}\n${plainText(Object.fromEntries(shown))}`
  const frame = answer.record === undefined ? 0 : RECORD_FRAME_BYTES
  return Math.max(Buffer.byteLength(text), Buffer.byteLength(JSON.stringify(answer))) + frame
}
