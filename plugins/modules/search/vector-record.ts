import { createHash } from 'node:crypto'
import { collapse } from '../domain/prose.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { resourceWords } from './module-fields.ts'

/** Which parts of a summary are put in the embedded text (spec module-ingestion "Embedding options"). */
export interface IncludeOptions {
  readonly description: boolean
  readonly readme: boolean
  readonly variables: boolean
  readonly outputs: boolean
  readonly resource_types: boolean
}

/** The metadata of a vector record: exactly the fields of spec module-ingestion "Vector record". */
export interface VectorMetadata {
  readonly repository: string
  readonly ref: string
  readonly path: string
  readonly provider: string
  /** Comma-separated. */
  readonly providers: string
  /** Comma-separated. */
  readonly tags: string
  /** ISO timestamp of the last ingestion. */
  readonly last_updated: string
}

/** What a store needs beside the spec's fields; stripped from every result. */
export interface InnerMetadata {
  readonly kind: string
  /** Whether `ref` is the latest of its module. */
  readonly latest: boolean
  readonly document_sha256: string
}

/** One record as the stores keep it. */
export interface StoredRecord {
  readonly id: string
  readonly metadata: VectorMetadata & InnerMetadata
  readonly document: string
}

/** The metadata of a record as a server of vectors keeps it, by name; what it drops is empty. */
export function keptMetadata(kept: Readonly<Record<string, unknown>>): StoredRecord['metadata'] {
  const text = (name: string): string => String(kept[name] ?? '')
  return {
    repository: text('repository'),
    ref: text('ref'),
    path: text('path'),
    provider: text('provider'),
    providers: text('providers'),
    tags: text('tags'),
    last_updated: text('last_updated'),
    kind: text('kind'),
    latest: kept['latest'] === true,
    document_sha256: text('document_sha256'),
  }
}

export const README_MAX_CHARS = 2000 // spec module-ingestion "Limits": README text embedded
const TYPE_MAX_CHARS = 400

/** A score or number of a vector as it is stored and shown: the same on every machine, in few characters. */
export function sixDecimals(value: number): number {
  return Math.round(value * 1e6) / 1e6
}

/** The digest by which an unchanged document is known. */
export function documentDigest(document: string): string {
  return createHash('sha256').update(document).digest('hex')
}

/** Raise it when `vectorDocument` gives other texts: then every summary is looked at again. */
const DOCUMENT_FORMAT = 1
const MARK_CHARS = 16

/** What an index notes of a document, so that a run need not read the summary again to compare it with the stored one. */
export function documentMark(digest: string): string {
  return `${DOCUMENT_FORMAT}-${digest.slice(0, MARK_CHARS)}`
}

/** The embedded text: each part only when it is included and not empty, joined by a blank line. */
export function vectorDocument(summary: ModuleSummary, include: IncludeOptions): string {
  const parts: readonly (readonly [wanted: boolean, label: string, text: string])[] = [
    [include.description, 'Description', summary.description.trim()],
    [include.readme, 'README', firstCodePoints(summary.readme_content, README_MAX_CHARS).trim()],
    [include.variables, 'Variables', summary.variables.map(variableText).join('; ')],
    [include.outputs, 'Outputs', summary.outputs.map(outputText).join('; ')],
    [include.resource_types, 'Resource types', resourceWords(summary).join(', ')],
  ]
  return parts
    .filter(([wanted, , text]) => wanted && text !== '')
    .map(([, label, text]) => `${label}: ${text}`)
    .join('\n\n')
}

function variableText({ name, description, type }: ModuleSummary['variables'][number]): string {
  const plainType = type.replace(/\s+/g, ' ').slice(0, TYPE_MAX_CHARS)
  return `${name}: ${collapse(description)} (type: ${plainType})`
}

function outputText({ name, description }: ModuleSummary['outputs'][number]): string {
  return `${name}: ${collapse(description)}`
}

function firstCodePoints(text: string, count: number): string {
  let end = 0
  for (let n = 0; n < count && end < text.length; n++) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  return text.slice(0, end)
}
