import { type CallContext, SatchelError } from '../../../server/plugin.ts'
import type { Source, Subject } from '../domain/checks/check.ts'
import { readJson } from '../domain/json-text.ts'
import { embeddedRecord } from '../domain/markdown-import.ts'
import { readableRecord } from '../domain/readable-record.ts'
import { schemaVerdict } from '../domain/schema-verdict.ts'
import { type Level, type Verdict, verdictOn } from '../domain/validation.ts'
import type { WorldFacts } from '../domain/world-facts.ts'
import { readFileInside } from '../files/read-file.ts'
import type { Handoffs, Project } from '../project.ts'
import { decodeUtf8 } from '../store/read-record.ts'
import { unknownRecord } from '../store/store.ts'
import { resolveId } from './find-record.ts'
import { worldOf } from './world.ts'

/** Where the record to judge comes from; exactly one is given. */
export type Candidate =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'markdown'; readonly text: string }

/** Judges a record; writes nothing. A text that is no JSON is a verdict too. */
export async function validateRecord(
  handoffs: Handoffs,
  ctx: CallContext,
  project: Project,
  candidate: Candidate,
  level: Level,
  strict: boolean,
): Promise<Verdict> {
  const judged = await judgedOf(ctx, project, candidate)
  const record = readableRecord(judged.value)
  const looksAround = level === 'repo' || level === 'all'
  const readable = judged.source.kind === 'value' || judged.source.kind === 'text'
  const world: WorldFacts = looksAround && readable ? await worldOf(handoffs, project, record) : {}
  return verdictOn(
    {
      ...judged,
      faults: schemaVerdict(judged.value),
      record,
      world,
      now: handoffs.now(),
      transcripts: handoffs.config.transcripts,
    },
    level,
    strict,
  )
}

type Judged = Pick<Subject, 'source' | 'value'>

async function judgedOf(ctx: CallContext, project: Project, candidate: Candidate): Promise<Judged> {
  if (candidate.kind === 'value') {
    // Clients turn untyped arguments into text: a string is read as JSON.
    if (typeof candidate.value === 'string') return fromText(candidate.value)
    return { source: { kind: 'value' }, value: candidate.value }
  }
  if (candidate.kind === 'markdown') return fromMarkdown(candidate.text)
  if (candidate.kind === 'path') return fromBytes(await readFileInside(ctx, candidate.path))
  const { id } = candidate
  const found = await project.store.read(await resolveId(project, id))
  if (!found) throw unknownRecord(id)
  if (found.document)
    return { source: { kind: 'text', document: found.document }, value: found.document.value }
  if (found.kind === 'broken' && found.problem.reason === 'not_utf8') return notUtf8
  if (found.kind === 'broken' && found.problem.line !== undefined) {
    const { line, column = 1 } = found.problem
    return { source: { kind: 'broken', fault: { line, column } }, value: undefined }
  }
  throw new SatchelError(
    'too_large',
    'record_too_large',
    'The file is too large to be a record; it was not read.',
  )
}

const notUtf8: Judged = { source: { kind: 'not_utf8' }, value: undefined }

function fromBytes(bytes: Uint8Array): Judged {
  const text = decodeUtf8(bytes)
  return text === undefined ? notUtf8 : fromText(text)
}

/** The record in the block of an exported file; without a block the text itself is judged. */
function fromMarkdown(text: string): Judged {
  return fromText(embeddedRecord(text)?.text ?? text)
}

function fromText(text: string): Judged {
  const reading = readJson(text)
  const source: Source = reading.kind === 'broken' ? reading : { kind: 'text', document: reading.document }
  return { source, value: reading.kind === 'read' ? reading.document.value : undefined }
}
