import { BYTES_PER_TOKEN, counted, isJsonObject } from '../../../server/plugin.ts'
import { jsonBytes, readOn, type Truncated } from '../domain/answer-budget.ts'
import { briefOf, DEFAULT_BRIEF_TOKENS, MAX_BRIEF_TOKENS, MIN_BRIEF_TOKENS } from '../domain/brief.ts'
import { isAltered } from '../domain/content-digest.ts'
import { resolvePointer } from '../domain/json-pointer.ts'
import { toMarkdown } from '../domain/markdown-export.ts'
import { type Handoff, withDefaults } from '../domain/record.ts'
import { quoted } from '../domain/secrets.ts'
import type { Project } from '../project.ts'
import { refusals } from '../reasons.ts'
import type { BrokenRecord, Problem, StoredRecord } from '../store/read-record.ts'
import { unknownRecord } from '../store/store.ts'
import { assessRecord } from './check-freshness.ts'
import { brokenFile, resolveId } from './find-record.ts'

export interface GetRequest {
  readonly id: string
  readonly format: 'json' | 'md' | 'brief'
  readonly pointer: string | undefined
  readonly withDefaults: boolean
  readonly maxTokens: number
}

export interface GetAnswer {
  readonly root: string
  readonly id: string
  readonly etag: string
  readonly path: string
  readonly record?: unknown
  readonly part?: unknown
  readonly text?: string
  readonly problems: readonly Problem[]
  readonly truncated?: Omit<Truncated, 'left_out'>
  readonly warnings: readonly string[]
}

/** A record, a part of it, or its text, within a budget. A file that breaks the schema comes with its problem. */
export async function getRecord(project: Project, request: GetRequest): Promise<GetAnswer> {
  const id = await resolveId(project, request.id)
  const found = await project.store.read(id)
  if (!found) throw await unknownRecord(project.store, request.id)
  if (found.kind === 'broken' && !found.document) throw brokenFile(found.problem)
  const base = {
    root: project.root,
    id,
    etag: found.etag ?? '',
    path: found.path,
    problems: found.kind === 'broken' ? [found.problem] : [],
    warnings: [],
  }
  if (request.pointer === undefined && request.format !== 'json') {
    return { ...base, ...(await textOf(project, found, request, id)) }
  }
  return { ...base, ...jsonOf(requestedValue(found, request), request, id) }
}

/** The id and the brief of a record, for prompts and resources. Errors: those of `getRecord`. */
export async function getBrief(
  project: Project,
  id: string,
): Promise<{ readonly id: string; readonly text: string }> {
  const { id: found, text = '' } = await getRecord(project, {
    id,
    format: 'brief',
    pointer: undefined,
    withDefaults: false,
    maxTokens: DEFAULT_BRIEF_TOKENS,
  })
  return { id: found, text }
}

function requestedValue(found: StoredRecord | BrokenRecord, request: GetRequest): unknown {
  const value = found.document?.value
  return request.withDefaults && found.kind === 'record' ? withDefaults(found.record) : value
}

function jsonOf(value: unknown, { pointer, maxTokens }: GetRequest, id: string): Partial<GetAnswer> {
  const budget = maxTokens * BYTES_PER_TOKEN
  if (pointer !== undefined && pointer !== '') {
    const found = resolvePointer(value, pointer)
    if (found.kind === 'missing') {
      const details = { pointer: quoted(pointer, 120) }
      throw refusals.pointer_not_found(details, { details, next: { tool: 'handoff_get', args: { id } } })
    }
    if (jsonBytes(found.value) <= budget) return { part: found.value }
    return { part: outlineOf(found.value), truncated: tooMuch(id, pointer) }
  }
  if (jsonBytes(value) <= budget) return { record: value }
  return { part: outlineOf(value), truncated: tooMuch(id, '/work') }
}

function tooMuch(id: string, pointer: string): NonNullable<GetAnswer['truncated']> {
  return { reason: 'over_budget', next: readOn(id, pointer) }
}

/** Replaces the value of each member by its kind and size. */
function outlineOf(value: unknown): unknown {
  if (Array.isArray(value)) return { items: value.length, bytes: jsonBytes(value) }
  if (!isJsonObject(value)) return { bytes: jsonBytes(value) }
  const members = Object.entries(value).slice(0, 200)
  return Object.fromEntries(
    members.map(([name, member]) => [
      name,
      Array.isArray(member)
        ? `${counted(member.length, 'item')}, ${jsonBytes(member)} bytes`
        : summary(member),
    ]),
  )
}

function summary(member: unknown): unknown {
  const size = jsonBytes(member)
  return size <= 200 ? member : `${size} bytes`
}

async function textOf(
  project: Project,
  found: StoredRecord | BrokenRecord,
  { format, maxTokens }: GetRequest,
  id: string,
): Promise<Partial<GetAnswer>> {
  if (found.kind === 'broken') throw brokenFile(found.problem)
  if (format === 'brief') {
    const { record, etag, document } = found
    const assessment = await assessRecord(project, record)
    const tokens = Math.min(Math.max(maxTokens, MIN_BRIEF_TOKENS), MAX_BRIEF_TOKENS)
    const parts = {
      record,
      etag,
      isAltered: isAltered({ record, document }),
      now: project.now(),
      ...assessment,
    }
    return { text: briefOf({ ...parts, maxTokens: tokens }).text }
  }
  const text = toMarkdown(found.record, found.document.text)
  if (Buffer.byteLength(text) <= maxTokens * BYTES_PER_TOKEN) return { text }
  return { part: outlineOf(found.record satisfies Handoff), truncated: tooMuch(id, '/work') }
}
