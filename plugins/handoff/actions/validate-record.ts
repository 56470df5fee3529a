import {
  type CallContext,
  decodeUtf8,
  excessOfJson,
  inTurns,
  MAX_JSON_VALUES,
} from '../../../server/plugin.ts'
import type { Subject } from '../domain/checks/check.ts'
import { judging, type Level, type Verdict } from '../domain/checks/validation.ts'
import { type JsonDocument, readJson } from '../domain/json-text.ts'
import { embeddedRecord } from '../domain/markdown-import.ts'
import { readableRecord } from '../domain/readable-record.ts'
import type { Handoff } from '../domain/record.ts'
import { judgingSchema } from '../domain/schema-verdict.ts'
import type { WorldFacts } from '../domain/world-facts.ts'
import { readFileInside } from '../files/read-file.ts'
import type { Project } from '../project.ts'
import { refusals } from '../reasons.ts'
import type { BrokenRecord, StoredRecord } from '../store/read-record.ts'
import { unknownRecord } from '../store/store.ts'
import { brokenFile, resolveId } from './find-record.ts'
import { worldOf } from './world.ts'

/** Source of the record to check. */
export type Candidate =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'markdown'; readonly text: string }

export interface ValidateRequest {
  readonly candidate: Candidate
  readonly level: Level
  readonly strict: boolean
}

/** Checks a record; writes nothing. For a text that is not JSON the verdict says so. */
export async function validateRecord(
  ctx: CallContext,
  project: Project,
  { candidate, level, strict }: ValidateRequest,
): Promise<Verdict> {
  const judged = await judgedOf(ctx, project, candidate)
  const record = readableRecord(judged.value)
  const usesProject = level === 'repo' || level === 'all'
  const readable = judged.source.kind === 'value' || judged.source.kind === 'text'
  const world: WorldFacts = usesProject && readable ? await worldOf(project, record) : {}
  const faults = await inTurns(judgingSchema(judged.value), ctx.signal)
  const judgement = judging(
    {
      ...judged,
      faults,
      record,
      world,
      now: project.now(),
      transcripts: project.config.transcripts,
    },
    level,
    strict,
  )
  return inTurns(judgement, ctx.signal)
}

type Judged = Pick<Subject, 'source' | 'value'>

async function judgedOf(ctx: CallContext, project: Project, candidate: Candidate): Promise<Judged> {
  if (candidate.kind === 'value') {
    // Clients send untyped arguments as strings: a string is parsed as JSON.
    if (typeof candidate.value === 'string') return fromText(candidate.value)
    return { source: { kind: 'value' }, value: candidate.value }
  }
  if (candidate.kind === 'markdown') return fromMarkdown(candidate.text)
  if (candidate.kind === 'path') return fromBytes(await readFileInside(ctx, candidate.path))
  const { id } = candidate
  const found = await project.store.read(await resolveId(project, id))
  if (!found) throw await unknownRecord(project.store, id)
  return found.kind === 'record' ? fromDocument(found.document) : fromBroken(found)
}

function fromBroken({ document, problem }: BrokenRecord): Judged {
  if (document) return fromDocument(document)
  if (problem.reason === 'not_utf8') return notUtf8
  const { line, column = 1 } = problem
  if (line === undefined) throw brokenFile(problem)
  return { source: { kind: 'broken', fault: { line, column } }, value: undefined }
}

const notUtf8: Judged = { source: { kind: 'not_utf8' }, value: undefined }

function fromBytes(bytes: Uint8Array): Judged {
  const text = decodeUtf8(bytes)
  return text === undefined ? notUtf8 : fromText(text)
}

/** The record in the block of an exported file; without a block, the text itself. */
function fromMarkdown(text: string): Judged {
  return fromText(embeddedRecord(text)?.text ?? text)
}

/** Errors: `too_large`/`too_many_values`: the work of the checks grows with the values. */
function fromText(text: string): Judged {
  if (excessOfJson(text) === 'values') throw refusals.too_many_values({ limit: MAX_JSON_VALUES })
  const reading = readJson(text)
  return reading.kind === 'read' ? fromDocument(reading.document) : { source: reading, value: undefined }
}

function fromDocument(document: JsonDocument): Judged {
  return { source: { kind: 'text', document }, value: document.value }
}

/**
 * Runs every check on a stored record before a transition. Ignores the status and the flag that an earlier run left.
 */
export async function judgeStored(project: Project, stored: StoredRecord): Promise<Verdict> {
  const { record, document } = stored
  const unjudged: Handoff = {
    ...readableRecord(record),
    status: 'draft',
    flags: record.flags.filter((flag) => flag !== 'invalid'),
  }
  const judgement = judging(
    {
      source: { kind: 'text', document },
      value: document.value,
      faults: [],
      record: unjudged,
      world: await worldOf(project, record),
      now: project.now(),
      transcripts: project.config.transcripts,
    },
    'all',
    false,
  )
  return inTurns(judgement)
}
