import assert from 'node:assert/strict'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { validate } from '../../../generated/handoff-validate.js'
import { type Disk, realDisk } from '../../../server/plugin.ts'
import { memoryFolderSync } from '../../../test/harness/temporary-folder.ts'
import { createRecord } from '../actions/create-record.ts'
import { examineStore } from '../actions/doctor.ts'
import { mergeStored } from '../actions/merge-records.ts'
import { transitionRecord } from '../actions/transition-record.ts'
import { updateRecord } from '../actions/update-record.ts'
import { handoffConfig } from '../config.ts'
import { createHandoffs, type Project } from '../project.ts'
import { contextOf, SMALL, testHost } from './fixture.ts'

type Fault = 'ENOSPC' | 'EIO' | 'killed'

/** A disk whose n-th call fails half done; when the process is killed, so does every later one. */
function failingDisk(nth: number, fault: Fault): { readonly disk: Disk; readonly calls: () => number } {
  let calls = 0
  const fails = () => {
    calls++
    return calls === nth || (fault === 'killed' && calls > nth)
  }
  const error = () => Object.assign(new Error(fault), { code: fault === 'killed' ? 'EKILLED' : fault })
  const wrap = ([name, call]: [string, (...given: never[]) => unknown]) => {
    const failing = (...given: never[]): unknown => {
      if (!fails()) return call(...given)
      if (name === 'create' && calls === nth) {
        const [path, content] = given as unknown as [string, string | Uint8Array]
        writeFileSync(path, content.slice(0, content.length / 2), { flag: 'wx' })
      }
      throw error()
    }
    return [name, name.endsWith('Sync') ? failing : async (...given: never[]) => failing(...given)]
  }
  // A file that was opened or looked at just now is closed and looked at again.
  const calm = { statSync: realDisk.statSync, closeSync: realDisk.closeSync }
  const disk = { ...Object.fromEntries(Object.entries(realDisk).map(wrap)), ...calm } as unknown as Disk // the same calls
  return { disk, calls: () => calls }
}

interface Opened {
  readonly root: string
  readonly project: Project
}

async function openOn(root: string, disk: Disk): Promise<Opened> {
  const host = testHost(root, () => new Date(), { PATH: '' }) // no git: only the store is of interest here
  const handoffs = createHandoffs(host, handoffConfig.parse({}), { disk })
  return { root, project: await handoffs.project(contextOf(root), undefined) }
}

/** A write of the plugin, as its tool does it. */
interface Write {
  readonly name: string
  /** Makes the store it starts from; gives the ids it needs. */
  prepare(root: string): Promise<readonly string[]>
  run(opened: Opened, ids: readonly string[]): Promise<unknown>
}

const NO_CAPTURE = { captureGit: false, hashArtifacts: false, autoArtifacts: 'none', dryRun: false } as const
const RELEASABLE = {
  ...SMALL,
  definition_of_done: ['done'],
  open_items: [{ description: 'x', suggested_action: 'y' }],
}

async function create({ root, project }: Opened, more: object = {}, parent = 'none') {
  const authored = { ...RELEASABLE, ...more }
  const options = NO_CAPTURE
  const { id } = await createRecord(contextOf(root), project, {
    authored,
    parent,
    ...(parent !== 'none' && { relation: 'continue' as const }),
    options,
    idempotencyKey: undefined,
  })
  return id
}

function transition({ root, project }: Opened, id: string, to: 'validated' | 'ready') {
  return transitionRecord(contextOf(root), project, {
    id,
    to,
    from: undefined,
    ifMatch: undefined,
    reason: undefined,
    acceptWarnings: 'a test',
    clearFlags: [],
    nonce: undefined,
  })
}

function merge({ root, project }: Opened, ids: readonly string[]) {
  return mergeStored(contextOf(root), project, {
    ids,
    strategy: 'draft',
    resolutions: [],
    overrides: {},
  })
}

async function twoChildren(opened: Opened): Promise<readonly string[]> {
  const parent = await create(opened)
  return [
    await create(opened, { completed: ['left'] }, parent),
    await create(opened, { completed: ['right'] }, parent),
  ]
}

/** Every kind of write to a store. */
export const WRITES: readonly Write[] = [
  { name: 'the first create of a store', prepare: async () => [], run: (opened) => create(opened) },
  {
    name: 'a create',
    prepare: async (root) => [await create(await openOn(root, realDisk))],
    run: (opened) => create(opened),
  },
  {
    name: 'an update',
    prepare: async (root) => [await create(await openOn(root, realDisk))],
    run: async ({ project }, [id = '']) => {
      const stored = await project.store.read(id)
      await updateRecord(project, {
        id,
        ifMatch: stored?.etag ?? '',
        patch: undefined,
        append: { completed: ['more'] },
      })
    },
  },
  {
    name: 'a merge',
    prepare: async (root) => twoChildren(await openOn(root, realDisk)),
    run: merge,
  },
  {
    name: 'the release of a merge, which supersedes its parents',
    prepare: async (root) => {
      const opened = await openOn(root, realDisk)
      const { child_id = '' } = await merge(opened, await twoChildren(opened))
      await transition(opened, child_id, 'validated')
      return [child_id]
    },
    run: (opened, [id = '']) => transition(opened, id, 'ready'),
  },
]

/** Runs a write once for each call that it makes of the disk, which fails so at that call. */
export async function failAtEveryStep(t: TestContext, write: Write, fault: Fault): Promise<void> {
  const from = memoryFolderSync(t)
  const ids = await write.prepare(from)
  const before = records(from)
  let points = 0

  for (let nth = 1; points === 0; nth++) {
    const root = memoryFolderSync(t)
    cpSync(from, root, { recursive: true })
    const { disk, calls } = failingDisk(nth, fault)
    const failure = await openOn(root, disk)
      .then((opened) => write.run(opened, ids))
      .then(
        () => undefined,
        (thrown) => thrown,
      )
    if (calls() < nth) points = nth - 1
    const at = `${fault} at call ${nth}`

    if (failure !== undefined && fault !== 'killed') assertStated(failure, at)
    await assertSound(root, before, at)
    if (failure === undefined) assert.notDeepEqual(records(root), before, `${at} was acknowledged`)
    await write.run(await openOn(root, realDisk), ids) // what is left blocks no later write
    assert.notDeepEqual(records(root), before, `${at}, again`)
    rmSync(root, { recursive: true, force: true })
  }
  t.diagnostic(`${points} points`)
  assert.ok(points > 10)
}

/** What a caller is told of a disk that fails. */
function assertStated(failure: unknown, at: string): void {
  const { code, reason } = failure as { code?: string; reason?: string }
  assert.equal(code, 'unavailable', `${at}: ${String(failure)}`)
  assert.ok(reason === 'disk_full' || reason === 'store_unwritable', `${at}: ${reason}`)
}

/** Every record is whole, none is lost, and the doctor names what was left. */
export async function assertSound(
  root: string,
  before: ReadonlyMap<string, string>,
  at: string,
): Promise<void> {
  const now = records(root)
  for (const [name, text] of now) {
    assert.equal(validate(JSON.parse(text)), true, `${at}: ${name} is torn`)
  }
  for (const name of before.keys()) assert.ok(now.has(name), `${at}: ${name} is lost`)
  assert.ok(now.size <= before.size + 1, at)
  const temps = listed(join(root, '.handoffs/.tmp')).filter((name) => name !== '.gitignore')
  assert.ok(temps.length <= 1, `${at}: ${temps.join(', ')}`)
  const { project } = await openOn(root, realDisk)
  const inTwoMinutes = Date.now() + 120_000
  const kinds = (await examineStore(project, inTwoMinutes, inTwoMinutes)).map(({ kind }) => kind)
  assert.equal(kinds.filter((kind) => kind === 'orphan_temp').length, temps.length, at)
  const expected = [
    'orphan_temp',
    'not_superseded',
    'conflicted_record',
    ...(now.size === 0 ? ['damaged_config'] : []),
  ]
  assert.deepEqual(
    kinds.filter((kind) => !expected.includes(kind)),
    [],
    at,
  )
}

/** The bytes of every record in the store, by the name of its file. */
export function records(root: string): ReadonlyMap<string, string> {
  const folder = join(root, '.handoffs/records')
  return new Map(listed(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}

function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
