/** Parses one module file into facts: with our reader first, with the reference parser where the reader is not sure. */
import { isUtf8 } from 'node:buffer'
import type { FileDiagnostic, ModuleFacts } from '../domain/module-facts.ts'
import { MODULE_FILE_MAX_BYTES, moduleFlavour } from '../domain/module-files.ts'
import type { Attribute, Body } from './body.ts'
import { type BodyFacts, extractFacts, NUMBER_AS_TEXT } from './facts.ts'
import { jsonBody, readJsonModule } from './json-module.ts'
import { type HclFile, readHcl } from './reader.ts'
import { withReferenceStructure, withReferenceValues } from './reconcile.ts'
import type { Reference, ReferenceAnswer } from './reference.ts'
import { topComment } from './top-comment.ts'

/** Part of every cache key: raise it when the same bytes give other facts. */
export const PARSER_VERSION = '7'

const EMPTY: BodyFacts = {
  variables: [],
  outputs: [],
  requirements: [],
  providerBlocks: [],
  modules: [],
  resources: [],
  data: [],
  ephemeral: [],
  moved: [],
  diagnostics: [],
}
/** More problems than this of one file are not worth a line each. */
const MAX_DIAGNOSTICS = 20

/**
 * Facts of one module file. They depend on the bytes, the flavour of the name and `PARSER_VERSION` only.
 * Never rejects: what could not be read is in `diagnostics`, and everything else is there. `reference` is asked at most
 * once, and only about HCL that is no larger than 1 MiB, holds no NUL byte and reached no depth cap.
 */
export async function parseModuleFile(
  name: string,
  bytes: Uint8Array,
  reference: Reference,
): Promise<ModuleFacts> {
  if (bytes.length > MODULE_FILE_MAX_BYTES) return refused('file_too_large', 'The file is larger than 1 MiB.')
  if (bytes.includes(0)) return refused('binary_file', 'The file holds NUL bytes: it is not configuration.')
  const text = new TextDecoder().decode(bytes)
  if (text.startsWith(LFS_POINTER)) return refused('lfs_pointer', NO_CONTENT)
  const facts = moduleFlavour(name) === 'json' ? parseJson(text) : await parseHcl(text, reference)
  return isUtf8(bytes) ? facts : { ...facts, diagnostics: [NOT_UTF8, ...facts.diagnostics] }
}

/** The first line of a pointer that Git LFS commits instead of a file. */
const LFS_POINTER = 'version https://git-lfs.github.com/spec/v1'
const NO_CONTENT =
  'It is a pointer of Git LFS, and the content is not in the repository. Keep module files in git itself: `git lfs migrate export --include="*.tf"`.'

const NOT_UTF8: FileDiagnostic = {
  severity: 'warning',
  code: 'not_utf8',
  message: 'The file is not UTF-8; what could not be decoded is replaced by U+FFFD.',
}

function refused(code: string, message: string, line?: number): ModuleFacts {
  const diagnostic: FileDiagnostic = {
    severity: 'error',
    code,
    message,
    ...(line === undefined ? {} : { line }),
  }
  return { ...EMPTY, diagnostics: [diagnostic], referenceReads: 0 }
}

function parseJson(text: string): ModuleFacts {
  const module = readJsonModule(text)
  if (module.kind === 'refused') return refused(module.code, module.message, module.line)
  const { facts } = extractFacts(module.body)
  const duplicates = module.duplicates.slice(0, MAX_DIAGNOSTICS).map(
    (key): FileDiagnostic => ({
      severity: 'warning',
      code: 'duplicate_block',
      message: `The key ${JSON.stringify(key.slice(0, 100))} is repeated in one object; the first counts.`,
    }),
  )
  const numbers = module.numbersAsText ? [NUMBER_AS_TEXT] : []
  return { ...facts, diagnostics: [...duplicates, ...numbers, ...facts.diagnostics], referenceReads: 0 }
}

async function parseHcl(text: string, reference: Reference): Promise<ModuleFacts> {
  const file = readHcl(text)
  const own = extractFacts(file)
  const comment = topComment(file)
  const common = comment === undefined ? {} : { topComment: comment }
  if (file.problems.some(({ code }) => code === 'too_deep')) {
    return {
      ...own.facts,
      ...common,
      diagnostics: [...ownProblems(file), ...own.facts.diagnostics],
      referenceReads: 0,
    }
  }
  const doubtful = file.problems.length > 0 || file.doubts.length > 0
  if (!doubtful && own.unsure.size === 0) return { ...own.facts, ...common, referenceReads: 0 }
  const answer = await reference.ask(text)
  const settled = settle(file, own, answer, doubtful)
  return { ...settled, ...common, referenceReads: 1 }
}

interface Own {
  readonly facts: BodyFacts
  readonly unsure: ReadonlyMap<Attribute, string>
}

function settle(file: HclFile, own: Own, answer: ReferenceAnswer, doubtful: boolean): BodyFacts {
  if (answer.kind !== 'read') {
    return { ...own.facts, diagnostics: [...unsettled(file, own, answer), ...own.facts.diagnostics] }
  }
  const theirs = jsonBody(answer.value)
  const body: Body = doubtful
    ? withReferenceStructure(file, theirs)
    : withReferenceValues(file, theirs, own.unsure)
  const { facts } = extractFacts(body)
  return doubtful ? { ...facts, diagnostics: [disagreement(file), ...facts.diagnostics] } : facts
}

function disagreement(file: HclFile): FileDiagnostic {
  const why = file.problems[0] ?? file.doubts[0]
  return {
    severity: 'warning',
    code: 'reader_disagrees',
    message: `The reference parser accepts this file, our reader does not: ${why?.message ?? ''}`,
    ...(why === undefined ? {} : { line: why.line }),
  }
}

/** The reference failed too, or could not be asked: our partial result is used. */
function unsettled(
  file: HclFile,
  own: Own,
  answer: Exclude<ReferenceAnswer, { kind: 'read' }>,
): FileDiagnostic[] {
  const problems = ownProblems(file)
  if (answer.kind === 'unavailable') {
    return [...problems, { severity: 'warning', code: 'reference_unavailable', message: answer.message }]
  }
  const [first = doubtOf(file, own), ...rest] = problems
  return [{ ...first, message: `${first.message} The reference parser: ${answer.message}` }, ...rest]
}

function doubtOf(file: HclFile, own: Own): FileDiagnostic {
  const [doubt] = file.doubts
  const [unsure] = own.unsure
  const line = doubt?.line ?? unsure?.[0].line
  const message = `Not certain: ${doubt?.message ?? unsure?.[1] ?? 'the text'}.`
  return { severity: 'error', code: 'parse_error', message, ...(line === undefined ? {} : { line }) }
}

function ownProblems(file: HclFile): FileDiagnostic[] {
  return file.problems.slice(0, MAX_DIAGNOSTICS).map(({ code, message, line }) => ({
    severity: 'error',
    code: code === 'too_deep' ? 'too_deep' : 'parse_error',
    message,
    line,
  }))
}
