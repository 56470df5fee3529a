/** What another version of a module means for the calls of a configuration, and the calls as they would be then. */
import { resolve } from 'node:path'
import { errorBody, errorFromBody, inTurns, isSatchelError } from '../../../server/plugin.ts'
import { findRef } from '../catalog/find.ts'
import { latestRefBeside } from '../catalog/latest-read.ts'
import { loadVersions } from '../catalog/load-versions.ts'
import { createRemovals } from '../catalog/removed-paths.ts'
import type { ResolvedCall } from '../catalog/resolve-calls.ts'
import { groupVersions, latestBeside } from '../catalog/versions.ts'
import { type ChangelogPart, changelogBetween } from '../domain/changelog.ts'
import { type CheckFinding, checkInputs, type GivenBlock } from '../domain/check.ts'
import { plainLine } from '../domain/hcl-text.ts'
import { nearestNames, nearestRefs } from '../domain/nearest-names.ts'
import { overridden } from '../domain/overridden-call.ts'
import { pinTo } from '../domain/pin.ts'
import { shownSource } from '../domain/shown-source.ts'
import { type OutputUse, planUpgrade, type UpgradePlan } from '../domain/upgrade.ts'
import { readChangelog } from '../git/changelog-file.ts'
import { editCall } from '../hcl/edit-call.ts'
import { readingModuleBlocks } from '../hcl/module-blocks.ts'
import type { IndexRecord, ModuleIndex } from '../output/module-index.ts'
import { isReason, refusals } from '../reasons.ts'
import { type CallFile, isJsonFile, usesOf } from './call-file.ts'
import type { ModuleService } from './module-service.ts'
import { guessMovedPath, movedHint } from './moved-path.ts'
import { createVersionLookup, type VersionLookup } from './version-lookup.ts'
import { type WrittenCall, writtenCalls } from './written-calls.ts'

export interface UpgradeRequest {
  /** All files of one directory: outputs of a call may be read in another file. */
  readonly files: readonly CallFile[]
  /** A ref, or `latest`. */
  readonly to: string
  /** Only the calls of this name. */
  readonly call?: string | undefined
  readonly outputDir: string
  readonly index: ModuleIndex
  readonly signal: AbortSignal
}

/** One call that can be upgraded. */
export interface UpgradedCall extends Omit<UpgradePlan, 'edit'> {
  readonly file: string
  readonly name: string
  readonly line: number
  readonly repository: string
  readonly path: string
  readonly from: string
  readonly to: string
  readonly changelog?: ChangelogPart
  /** The block as it would be; absent where it cannot be edited for sure. */
  readonly edited?: string
  /** What a check of the edited block against the new version finds. */
  readonly remaining: readonly CheckFinding[]
}

/** One call that is left as it is. */
export interface SkippedCall {
  readonly file: string
  readonly name: string
  readonly line: number
  readonly reason: string
  readonly message: string
}

export interface Upgrade {
  readonly calls: readonly UpgradedCall[]
  readonly skipped: readonly SkippedCall[]
  /** The files that would change, with their new texts. */
  readonly files: readonly CallFile[]
}

/**
 * Plans the upgrade of every call, or of the one that is named; writes nothing. Where several calls are given, those that
 * cannot be upgraded are listed with their reason; when none can, the first reason is the refusal.
 * Errors: `not_found`/`no_module_calls`, `call_not_indexed`, `call_ref_unknown`, `target_ref_unknown`;
 * `invalid`/`call_is_local`; `conflict`/`nothing_to_upgrade`; those of the index.
 */
export async function upgradeCalls(service: ModuleService, request: UpgradeRequest): Promise<Upgrade> {
  const found = await writtenCalls(request)
  if (found.length === 0) throw noCalls(request)
  const work: Work = {
    service,
    request,
    lookup: createVersionLookup(service, request, request),
    uses: await usesOf(request.files, request.signal),
    texts: new Map(request.files.map(({ name, text }) => [name, text])),
  }
  const upgraded: UpgradedCall[] = []
  const refused: { readonly skipped: SkippedCall; readonly error: Error }[] = []
  // From the last line up: an edit moves only the lines below it.
  for (const call of found.toReversed()) {
    const { file, block } = call
    try {
      upgraded.push(await upgradeOne(work, call))
    } catch (thrown) {
      if (!isSatchelError(thrown) || !SKIPPING.has(thrown.reason)) throw thrown
      const { reason, message } = thrown
      refused.push({
        skipped: { file, name: block.name, line: block.line, reason, message },
        error: thrown,
      })
    }
  }
  const errors = refused.toReversed()
  if (upgraded.length === 0)
    throw (errors.find(({ skipped }) => skipped.reason !== 'call_is_local') ?? errors[0])?.error
  return {
    calls: upgraded.toReversed(),
    skipped: errors.map(({ skipped }) => skipped),
    files: request.files.flatMap(({ name, text }) => {
      const now = work.texts.get(name)
      return now === undefined || now === text ? [] : [{ name, text: now }]
    }),
  }
}

/** Why a call is left as it is. */
const SKIPPING: ReadonlySet<string> = new Set([
  'call_not_indexed',
  'call_is_local',
  'call_is_computed',
  'call_ambiguous',
  'call_overridden',
  'call_ref_unknown',
  'target_ref_unknown',
  'nothing_to_upgrade',
])

interface Work {
  readonly service: ModuleService
  readonly request: UpgradeRequest
  readonly lookup: VersionLookup
  readonly uses: ReadonlyMap<string, readonly OutputUse[]>
  /** The files as edited so far. */
  readonly texts: Map<string, string>
}

async function upgradeOne(work: Work, { file, block, overrides }: WrittenCall): Promise<UpgradedCall> {
  const { service, request } = work
  const pinning = overrides.findLast(({ source, version }) => source !== undefined || version !== undefined)
  if (pinning !== undefined)
    throw refusals.call_overridden({
      line: block.line,
      name: plainLine(block.name),
      by: `${plainLine(pinning.file ?? '')}:${pinning.line}`,
    })
  const before = calledVersion(await work.lookup.call(block), block)
  const after = await targetVersion(work, before)
  if (after.id === before.id) throw await nothingNewer(work, before, block)
  const [older, newer] = await loadVersions(request.outputDir, [before, after])
  if (older === undefined || newer === undefined) throw new Error('two records give two versions')
  const outputs = (work.uses.get(block.name) ?? []).map(({ file: read, ...use }) => ({
    ...use,
    ...(read === undefined || read === file ? {} : { file: read }),
  }))
  const { edit: own, ...plan } = planUpgrade({ block: overridden(block, overrides), outputs }, older, newer)
  // The call gives what all files state; only the block itself is edited.
  const edit = overrides.length === 0 ? own : planUpgrade({ block, outputs }, older, newer).edit
  const pin = pinTo(block, { ...after, currentCommit: before.commit })
  const text = work.texts.get(file) ?? ''
  const reason = `not an input of ${after.ref}`
  const edited =
    pin &&
    !isJsonFile({ name: file }) &&
    editCall(text, block.line, {
      replaced: new Map(pin.isNew ? [] : [[pin.argument, pin.text]]),
      renamed: edit.renamed.map((one) => ({ ...one, note: `was ${one.from}: a guess, ${one.why}` })),
      retired: edit.retired.map((name) => ({ name, note: reason })),
      added: [
        ...(pin.isNew ? [{ name: pin.argument, value: pin.text }] : []),
        ...edit.added.map(({ name, value, sensitive }) =>
          sensitive
            ? {
                name,
                note: `${name} is required by ${after.ref}: sensitive, pass it from a variable or a secret store`,
              }
            : { name, value, note: `required by ${after.ref}` },
        ),
      ],
    })
  if (edited) work.texts.set(file, edited.text)
  const changelog = await changelogOf(service, request, { before, after })
  const { repository, path, ref: to } = after
  return {
    ...{ file, name: block.name, line: block.line, repository, path, from: before.ref, to },
    ...plan,
    ...(changelog && { changelog }),
    ...(edited && { edited: edited.block }),
    remaining: edited
      ? await findingsOf(edited.text, { block, overrides, newer, signal: request.signal })
      : [],
  }
}

function calledVersion(
  { resolution, record }: ResolvedCall,
  { name, line, source }: GivenBlock,
): IndexRecord {
  const at = { line, name: plainLine(name) }
  if (record !== undefined) return record
  if (resolution.kind === 'local') throw refusals.call_is_local(at)
  if (resolution.kind === 'computed') throw refusals.call_is_computed(at)
  if (resolution.kind === 'unknown_ref') {
    const values = { ...at, ref: plainLine(resolution.ref), why: whyText(resolution.why) }
    throw resolution.isMissing ? refusals.call_ref_missing(values) : refusals.call_ref_unknown(values)
  }
  if (resolution.kind === 'ambiguous')
    throw refusals.call_ambiguous({ ...at, candidates: resolution.repositories.join(', ') })
  if (resolution.kind === 'no_module') throw refusals.call_path_missing({ ...at, why: resolution.why })
  throw refusals.call_not_indexed({ ...at, source: shownSource(source?.text ?? '') || 'no source' })
}

function whyText(why: string | undefined): string {
  return why === undefined ? '' : ` ${why}`
}

/** A ref that is not indexed is read; where it cannot be, the nearest of the index are named, and why. */
async function targetVersion(work: Work, before: IndexRecord): Promise<IndexRecord> {
  const { request, lookup } = work
  try {
    return await indexedTarget(work, before)
  } catch (thrown) {
    if (!isReason(thrown, 'target_ref_unknown')) throw thrown
    const { repository, path } = before
    const ref = request.to === 'latest' ? latestRefBeside(request.index, before) : request.to
    return await lookup.module({ repository, path, ref }).catch((why: unknown) => {
      if (!isSatchelError(why) || why.code === 'cancelled') throw why
      // Of a ref that is there the index says which directories it has.
      const isThere = findRef(refsOf(request.index, repository), request.to) !== undefined
      throw isThere || !isReason(why, 'module_not_found') ? thrown : saidAs(thrown, why)
    })
  }
}

function refsOf(index: ModuleIndex, repository: string): readonly IndexRecord[] {
  return index.records.filter((record) => record.repository === repository)
}

/** Every tool that takes a ref says the same of one that it cannot find. */
function saidAs(refusal: unknown, { message }: Error): unknown {
  return isSatchelError(refusal) ? errorFromBody({ ...errorBody(refusal), message }, refusal) : refusal
}

async function indexedTarget(work: Work, before: IndexRecord): Promise<IndexRecord> {
  const { index, to } = work.request
  const { repository, path } = before
  const own = refsOf(index, repository)
  const groups = groupVersions(index, own)
  const group = groups.find((one) => one.path === path)
  if (to === 'latest' && group !== undefined) return latestBeside(group, before)
  const found = findRef(group?.versions ?? [], to)
  if (found !== undefined) return found
  const there = findRef(own, to)
  if (there !== undefined) {
    const near = nearestNames(
      path,
      own.filter(({ ref }) => ref === there.ref).map((one) => one.path),
    )
    throw await pathMissing(work, before, { ref: there.ref, near })
  }
  const refs = nearestRefs(to, new Set(own.map(({ ref }) => ref)))
  const at = path === '.' ? '' : ` at ${path}`
  throw refusals.target_ref_unknown(
    { ref: JSON.stringify(plainLine(to)), repository, at, hint: hintOf(refs) },
    { next: { tool: 'list_module_versions', args: { repository, path } } },
  )
}

/** A module that later releases lack has no newer version either, but is not up to date. */
async function nothingNewer(work: Work, before: IndexRecord, { line, name }: GivenBlock) {
  const { index, to } = work.request
  const since = to === 'latest' ? createRemovals(index)(before.repository, before.path) : undefined
  return since === undefined
    ? refusals.nothing_to_upgrade({ line, name: plainLine(name), ref: before.ref })
    : await pathMissing(work, before, { ref: since, near: [] })
}

async function pathMissing(
  { service, request: { index, outputDir } }: Work,
  last: IndexRecord,
  { ref, near }: { readonly ref: string; readonly near: readonly string[] },
) {
  const { repository, path } = last
  const moved = await guessMovedPath(service, outputDir, { index, last, since: ref })
  return refusals.target_path_missing({ repository, path, ref, hint: movedHint(moved) || hintOf(near) })
}

function hintOf(near: readonly string[]): string {
  return near.length === 0 ? '' : ` Nearest: ${near.join(', ')}.`
}

async function changelogOf(
  service: ModuleService,
  { signal }: UpgradeRequest,
  { before, after }: { readonly before: IndexRecord; readonly after: IndexRecord },
): Promise<ChangelogPart | undefined> {
  const cloneDir = resolve(service.workingDirectory, service.config.clone_dir)
  const { repository, commit } = after
  const text = await readChangelog({ cloneDir, repository, commit, env: service.host.env, signal })
  return text === undefined ? undefined : changelogBetween(text, before.ref, after.ref)
}

async function findingsOf(
  text: string,
  { block, overrides, newer, signal }: Rechecking,
): Promise<readonly CheckFinding[]> {
  const { blocks } = await inTurns(readingModuleBlocks(text), signal)
  const now = blocks.find(({ line }) => line === block.line)
  return now === undefined ? [] : checkInputs(overridden(now, overrides), newer.summary)
}

interface Rechecking extends Pick<WrittenCall, 'block' | 'overrides'>, Pick<UpgradeRequest, 'signal'> {
  readonly newer: { readonly summary: Parameters<typeof checkInputs>[1] }
}

function noCalls({ files, call }: UpgradeRequest) {
  const called = call === undefined ? '' : ` called ${JSON.stringify(plainLine(call))}`
  const [only] = files.length === 1 ? files : []
  const where = only === undefined ? 'these files' : plainLine(only.name) || 'this text'
  return refusals.no_module_calls({ called, where })
}
