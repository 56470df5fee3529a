import { isAbsolute, resolve, win32 } from 'node:path'
import {
  confineTo,
  counted,
  EVIDENCE_VERDICTS,
  type EvidenceFinding,
  type EvidenceKind,
  type EvidencePlace,
  isJsonObject,
  isSatchelError,
  readRegularFile,
  systemCode,
} from '../../../server/plugin.ts'
import {
  type CheckedFile,
  checkedFile,
  hclOfMarkdown,
  judgeChecked,
  readFiles,
} from '../catalog/check-evidence.ts'
import { type CheckedText, checkText } from '../catalog/check-text.ts'
import { findModule, type ModuleName, SHORTEST_PREFIX } from '../catalog/find.ts'
import { factsOf, judgeModule, type ModuleFacts, nameOf, readFacts } from '../catalog/module-evidence.ts'
import { createCallResolver } from '../catalog/resolve-calls.ts'
import { MODULE_FILE_MAX_BYTES } from '../domain/module-files.ts'
import { type IndexRecord, type ModuleIndex, moduleId } from '../output/module-index.ts'
import { isReason, refusals } from '../reasons.ts'
import type { ModuleService } from './module-service.ts'
import { doubtOf } from './reading-doubt.ts'

/** What the kinds of evidence need: the summaries of the operator, as they are stored. */
type Stored = Pick<ModuleService, 'storedIndex' | 'summary' | 'config' | 'workingDirectory' | 'asked'>

/** The kinds of evidence about modules. Nothing is ingested or fetched for them. */
export function moduleEvidence(service: Stored): readonly EvidenceKind[] {
  return [moduleKind(service), checkKind(service)]
}

function outputDirOf({ config, workingDirectory }: Stored): string {
  return resolve(workingDirectory, config.output_dir)
}

async function indexOf(service: Stored): Promise<ModuleIndex> {
  const index = await service.storedIndex(outputDirOf(service))
  if (index) return index
  throw refusals.no_index()
}

/** A version of the index, or one that was read for a call. Errors: those of `findModule`. */
async function findStored(service: Stored, index: ModuleIndex, name: ModuleName): Promise<IndexRecord> {
  try {
    return findModule(index, name, service.config.registry_aliases)
  } catch (thrown) {
    const [only, ...more] = isReason(thrown, 'module_not_found') ? await keptOf(service, name.id ?? '') : []
    if (only === undefined || more.length > 0) throw thrown
    return only
  }
}

/** Versions that were read for a call and not by an ingest, by the first digits of their id. */
async function keptOf(service: Stored, id: string): Promise<readonly IndexRecord[]> {
  return id.length < SHORTEST_PREFIX ? [] : service.asked.kept(outputDirOf(service), id.toLowerCase())
}

/** A module version: that it is as it was, and that no newer one breaks its callers. */
function moduleKind(service: Stored): EvidenceKind {
  return {
    name: 'module',
    takes: 'id of a module version, as get_module, module_usage and module_check answer it',
    async capture(named) {
      const { id = named, repository, ref, path } = isJsonObject(named) ? named : {}
      const index = await indexOf(service)
      const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
      const name =
        repository === undefined
          ? { id: text(id) }
          : { repository: text(repository), ref: text(ref), path: text(path) }
      const record = await findStored(service, index, name)
      const facts = factsOf(record, await service.summary(outputDirOf(service), record))
      return { facts: { ...facts }, verdict: 'holds', reason: `${nameOf(facts)} was read` }
    },
    async verify(stored) {
      const facts = readFacts(stored)
      if (typeof facts === 'string') return { verdict: 'unverifiable', reason: facts }
      const index = await indexOf(service)
      const kept = await keptOf(service, moduleId(facts.repository, facts.ref, facts.path))
      const found = await judgeModule(facts, { index, kept }, outputDirOf(service))
      const doubt =
        found.verdict === 'holds' || found.verdict === 'moved'
          ? await doubtOf(service, facts, outputDirOf(service))
          : undefined
      return doubt === undefined ? found : { verdict: 'unverifiable', reason: doubt }
    },
    describe: (stored) => nameOf(stored as unknown as ModuleFacts), // what `capture` made
  }
}

/** A check of module calls: in files of the project, or in the HCL blocks of a Markdown text. */
function checkKind(service: Stored): EvidenceKind {
  const check = async (text: string, index: ModuleIndex): Promise<CheckedText> =>
    checkText(text, createCallResolver(index, service.config.registry_aliases), (record) =>
      service.summary(outputDirOf(service), record),
    )
  return {
    name: 'module_check',
    takes: 'paths of files with module calls, or {text} with HCL blocks',
    async capture(named, place) {
      const index = await indexOf(service)
      if (isJsonObject(named) && typeof named['text'] === 'string') {
        const checked = ofSnippets(await check(hclOfMarkdown(named['text']), index))
        const { path: _, ...text } = checkedFile('', named['text'], checked)
        return { facts: { text }, ...judgeChecked('the text', checked) }
      }
      const files = readFiles(named)
      if (typeof files === 'string') throw refusals.evidence_names({ fault: files })
      const seen: { file: CheckedFile; finding: EvidenceFinding }[] = []
      for (const { path } of files) {
        const text = await fileText(path, place)
        if (typeof text !== 'string') throw refusals.evidence_names({ fault: text.reason })
        const checked = await check(text, index)
        seen.push({ file: checkedFile(path, text, checked), finding: judgeChecked(path, checked) })
      }
      return { facts: { files: seen.map(({ file }) => file) }, ...worst(seen.map(({ finding }) => finding)) }
    },
    async verify(stored, place) {
      const files = readFiles(stored['files'])
      if (typeof files === 'string')
        return { verdict: 'unverifiable', reason: stored['text'] ? 'the text is not stored' : files }
      const index = await indexOf(service)
      const findings: EvidenceFinding[] = []
      for (const { path, ...known } of files) {
        place.signal.throwIfAborted()
        const text = await fileText(path, place)
        findings.push(typeof text === 'string' ? judgeChecked(path, await check(text, index), known) : text)
      }
      return worst(findings)
    },
    describe(stored) {
      const files = readFiles(stored['files'])
      if (typeof files === 'string') return 'The module calls of a text were checked'
      const [first] = files
      const which = files.length === 1 && first ? first.path : counted(files.length, 'file')
      return `The module calls of ${which} were checked`
    },
  }
}

/** The examples of a document may call their blocks alike. */
function ofSnippets({ blocks, problems }: CheckedText): CheckedText {
  const own = blocks.map((block) => ({
    ...block,
    findings: block.findings.filter(({ code }) => code !== 'duplicate_name'),
  }))
  return { blocks: own, problems }
}

/** The text of a file of the project; what is wrong with it otherwise. */
async function fileText(path: string, { root }: EvidencePlace): Promise<string | EvidenceFinding> {
  const shown = JSON.stringify(path.slice(0, 200))
  if (win32.isAbsolute(path) && !isAbsolute(path))
    return { verdict: 'unverifiable', reason: `${shown} is a path of another machine` }
  try {
    const file = await readRegularFile(await confineTo([root], root)(path), MODULE_FILE_MAX_BYTES)
    if (file.kind === 'text') return file.text
    return {
      verdict: 'unverifiable',
      reason: `${shown} is ${file.kind === 'too large' ? 'too large' : 'no file'}`,
    }
  } catch (thrown) {
    const code = systemCode(thrown)
    if (code === 'ENOENT' || code === 'ENOTDIR')
      return { verdict: 'contradicted', reason: `${shown} is missing` }
    if (code !== undefined) return { verdict: 'unverifiable', reason: `${shown} cannot be read (${code})` }
    if (isSatchelError(thrown)) return { verdict: 'unverifiable', reason: `${shown} is outside the project` }
    throw thrown
  }
}

/** The worst of several findings; the reasons of all that are as bad. */
function worst(findings: readonly EvidenceFinding[]): EvidenceFinding {
  const verdict =
    EVIDENCE_VERDICTS[Math.max(...findings.map((one) => EVIDENCE_VERDICTS.indexOf(one.verdict)))] ??
    'unverifiable'
  const reasons = findings.filter((one) => one.verdict === verdict).map(({ reason }) => reason)
  return { verdict, reason: reasons.slice(0, 3).join('; ') }
}
