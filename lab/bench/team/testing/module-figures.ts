import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { buildRemote } from '../../../../plugins/modules/testing/build-remote.ts'
import { entriesOf } from '../../../../plugins/modules/testing/team.ts'
import { temporaryFolder } from '../../../../test/harness/index.ts'
import type { PostgresServer } from '../../../../test/postgres-server.ts'
import { askAt, newReplica, type Replica } from '../../../../test/replicas.ts'
import { runSatchel, SATCHEL } from '../../../../test/satchel-process.ts'
import { grownModules, REFS, writeSummaries } from '../../growth/project.ts'
import { medianMs, type TeamFigure } from './team-figure.ts'

export interface ModuleSizes {
  readonly repositories: number
  /** Of each repository, at each of its tags. */
  readonly modules: number
  /** Of modules in the search. */
  readonly versions: number
  readonly calls: number
}

const QUERY = 'private network with subnets'
const TAGS = 5
/** Of each module. */
const INPUTS = 20
const GIVE_UP_MS = 3_600_000
const REPLICAS = ['one', 'two', 'three']

/** Ingests with one and two workers, how far a server follows behind, and searches on three servers. */
export async function moduleFigures(
  t: TestContext,
  server: PostgresServer,
  sizes: ModuleSizes,
): Promise<readonly TeamFigure[]> {
  return [...(await ingestFigures(t, server, sizes)), ...(await searchFigures(t, server, sizes))]
}

/** A folder with a configuration, and what satchel does there. */
async function newMachine(t: TestContext, server: PostgresServer, settings: object) {
  const folder = join(await temporaryFolder(t), 'project')
  mkdirSync(folder)
  writeFileSync(join(folder, 'satchel.yaml'), JSON.stringify(settings))
  const env = { SATCHEL_STORAGE_URL: server.url }
  return {
    folder,
    async run(...words: readonly string[]): Promise<number> {
      const began = performance.now()
      const { code, err } = await runSatchel(folder, words, env)
      assert.equal(code, 0, err)
      return performance.now() - began
    },
    startWorker() {
      const [program, ...words] = SATCHEL
      const child = spawn(program, [...words, 'ingest', '--worker'], {
        cwd: folder,
        env: { PATH: process.env['PATH'], HOME: folder, ...env },
        stdio: 'ignore',
      })
      const ended = once(child, 'close')
      const end = async (): Promise<void> => {
        child.kill('SIGTERM')
        await ended
      }
      t.after(end)
      return { end }
    },
  }
}

async function ingestFigures(
  t: TestContext,
  server: PostgresServer,
  { repositories: count, modules }: ModuleSizes,
) {
  const remotes = await temporaryFolder(t)
  const remote = (n: number, from: number, to: number) => newRemote(remotes, { n, modules, from, to })
  const urls = await Promise.all(Array.from({ length: count }, (_, n) => remote(n, 0, TAGS)))
  const repositories = entriesOf(urls).map((entry) => ({ ...entry, max_tags: TAGS }))
  const settings = (catalogue: string) => ({ catalogue, repositories })
  const alone = await newMachine(t, server, settings('alone'))
  const one = await newMachine(t, server, settings('together'))
  const two = await newMachine(t, server, settings('together'))
  await alone.run('storage', 'migrate')

  const aloneMs = await alone.run('ingest')
  const worker = two.startWorker()
  const togetherMs = await one.run('ingest')
  await worker.end()
  const replica = await newReplica(t, 'one', server.url, 'catalogue: alone\nmcp: { auto_ingest: false }\n')
  await replica.start()
  const shown = async () => JSON.stringify((await askAt(replica.address, '/modules?query=repository0')).json)
  assert.match(await shown(), new RegExp(`v1\\.${TAGS - 1}\\.0`))
  await remote(0, TAGS, TAGS + 1)
  await alone.run('ingest')
  const began = performance.now()
  await until(async () => (await shown()).includes(`v1.${TAGS}.0`))
  const lag = performance.now() - began
  return [
    {
      what: `an ingest of ${count} repositories with ${modules} modules at ${TAGS} tags each, by two workers`,
      unit: 'ms',
      ours: togetherMs,
      floor: { what: 'by one', value: aloneMs },
    },
    { what: 'a server has what an ingest that ended published', unit: 'ms', ours: lag },
  ] satisfies TeamFigure[]
}

interface Made {
  readonly n: number
  readonly modules: number
  /** Its tags, from this number to below that one. */
  readonly from: number
  readonly to: number
}

function newRemote(folder: string, { n, modules, from, to }: Made): Promise<string> {
  const text = (at: number, tag: number): string =>
    Array.from(
      { length: INPUTS },
      (_, input) => `variable "in_${n}_${at}_${input}" {\n  default = ${tag}\n}\n`,
    ).join('')
  const filesAt = (tag: number) =>
    Object.fromEntries(Array.from({ length: modules }, (_, at) => [`modules/m${at}/main.tf`, text(at, tag)]))
  const commits = Array.from({ length: to - from }, (_, at) => ({
    files: { 'main.tf': text(modules, from + at), ...filesAt(from + at) },
    tags: [`v1.${from + at}.0`],
    ...(from + at > 0 && at === 0 && { continues: true }),
  }))
  return buildRemote(join(folder, `terraform-aws-repository${n}.git`), commits)
}

async function searchFigures(t: TestContext, server: PostgresServer, { versions, calls }: ModuleSizes) {
  const dir = await temporaryFolder(t)
  await writeSummaries(dir, await grownModules(undefined), Math.ceil(versions / REFS))
  const files = { ...settingsOf(dir), catalogue: null }
  const machine = await newMachine(t, server, { ...settingsOf(dir), catalogue: 'many' })
  writeFileSync(join(machine.folder, 'files.yaml'), JSON.stringify(files))
  await machine.run('modules', 'rebuild', '--config', 'files.yaml')
  const importedMs = await machine.run('storage', 'import')
  const settings = 'catalogue: many\nembedding: { enabled: true }\nmcp: { auto_ingest: false }\n'
  const replicas = await Promise.all(REPLICAS.map((name) => newReplica(t, name, server.url, settings)))
  const began = performance.now()
  await Promise.all(replicas.map((replica) => replica.start()))
  await Promise.all(replicas.map(untilLevel))
  const followedMs = performance.now() - began
  const search = async ({ address }: Replica): Promise<string> => {
    const { status, json } = await askAt(address, '/search', { query: QUERY })
    assert.equal(status, 200, JSON.stringify(json))
    return JSON.stringify(json.results ?? json)
  }
  const answers = await Promise.all(replicas.map(search))
  assert.equal(new Set(answers).size, 1, 'the servers answer otherwise')
  const ofFiles = await newReplica(t, 'files', server.url)
  writeFileSync(join(ofFiles.project, 'satchel.yaml'), JSON.stringify(files))
  await ofFiles.start()
  const [first] = replicas
  assert.ok(first)
  const at = `${versions.toLocaleString('en')} versions of modules`
  const floor = { what: 'a server with files', value: await medianMs(calls, () => search(ofFiles)) }
  return [
    { what: `${at} are imported`, unit: 's', ours: importedMs / 1000 },
    {
      what: `three servers on this machine follow ${at} from their start`,
      unit: 's',
      ours: followedMs / 1000,
    },
    {
      what: `a search of ${at}, one server asked`,
      unit: 'ms',
      ours: await medianMs(calls, () => search(first)),
      floor,
    },
    {
      what: `a search of ${at}, three servers asked together`,
      unit: 'ms',
      ours: await medianMs(calls, () => Promise.all(replicas.map(search))),
      floor,
    },
  ] satisfies TeamFigure[]
}

function settingsOf(dir: string) {
  return {
    output_dir: join(dir, 'out'),
    clone_dir: join(dir, 'clones'),
    embedding: { enabled: true, vectordb_path: join(dir, 'vectors') },
    mcp: { auto_ingest: false },
    handoff: { project: 'shop' },
    repositories: [],
  }
}

/** Until the server says that nothing of the database is missing there. */
async function untilLevel({ address }: Replica): Promise<void> {
  await until(async () => {
    const { status, json } = await askAt(address, '/ready')
    return status === 200 && JSON.stringify(json).includes('"changes":0')
  })
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const began = performance.now()
  while (!(await isSo())) {
    assert.ok(performance.now() - began < GIVE_UP_MS, 'it never came')
    await wait(20)
  }
}
