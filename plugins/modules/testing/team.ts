import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { HostDatabase } from '../../../server/storage/database.ts'
import { openHost, type TestHost, temporaryFolder } from '../../../test/harness/index.ts'
import { type PostgresServer, startPostgres } from '../../../test/postgres-server.ts'
import { plugin } from '../index.ts'
import { type CatalogueRows, catalogueRows } from '../shared/catalogue-rows.ts'
import { buildRemote } from './build-remote.ts'

/** The name of the catalogue. */
export const TEAM = 'team'

/** A machine of a team: its host, and folders of its own. */
export interface Machine {
  readonly host: TestHost
  readonly database: HostDatabase
  readonly filesDir: string
  /** The folder that follows the catalogue. */
  readonly outputDir: string
  rows(): CatalogueRows
  /** As the command line calls it. */
  call(tool: string, input?: Record<string, unknown>): Promise<Record<string, unknown>>
}

/** Machines with a database in common. */
export interface Team {
  readonly server: PostgresServer
  readonly url: string
  /** `databaseUrl`: the same database as another role. */
  machine(settings?: Record<string, unknown>, databaseUrl?: string): Promise<Machine>
}

let databases = 0

/** A new, migrated database; undefined where there is no PostgreSQL. `server`: one that runs already. */
export async function openTeam(t: TestContext, started?: PostgresServer): Promise<Team | undefined> {
  const server = started ?? (await startPostgres(t))
  if (!server) return undefined
  const name = `team_${databases++}`
  server.sql(`create database ${name} owner app`, 'postgres')
  const url = server.urlOf(name)
  let isMigrated = false
  return {
    server,
    url,
    async machine(settings = {}, databaseUrl = url) {
      const root = await temporaryFolder(t)
      const filesDir = join(root, 'out')
      const host = await openHost(t, {
        plugins: [
          {
            plugin,
            settings: {
              catalogue: TEAM,
              output_dir: filesDir,
              clone_dir: join(root, 'clones'),
              mcp: { auto_ingest: false },
              ...settings,
            },
          },
        ],
        projectRoot: root,
        env: process.env,
        databaseUrl,
      })
      const { database } = host.host
      assert.ok(database)
      if (!isMigrated) await database.migrate()
      isMigrated = true
      return {
        host,
        database,
        filesDir,
        outputDir: followerOf(filesDir),
        rows: () => catalogueRows(database, TEAM),
        call: (tool, input = {}) => host.call(tool, input, { door: 'cli' }),
      }
    },
  }
}

/** Where a machine keeps what it follows. */
function followerOf(filesDir: string): string {
  const digest = createHash('sha256').update(TEAM).digest('hex').slice(0, 8)
  return join(filesDir, '.satchel', `catalogue-${digest}`)
}

/** The hashes of summaries, index and code of a folder: what answers are made from. */
export async function bytesOf(outputDir: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {}
  const hash = async (path: string): Promise<void> => {
    found[path] = createHash('sha256')
      .update(await readFile(join(outputDir, path)))
      .digest('hex')
  }
  for (const name of (await readdir(outputDir)).sort()) if (name.endsWith('.json')) await hash(name)
  await hash('.satchel/index.json')
  const state = await readdir(join(outputDir, '.satchel'))
  for (const folder of state.filter((name) => name.startsWith('code-'))) {
    for (const name of (await readdir(join(outputDir, '.satchel', folder))).sort())
      await hash(join('.satchel', folder, name))
  }
  return found
}

/** Repositories of two modules at two tags and a branch. `round` makes the next commit of each, with a tag. */
export async function smallRemotes(dir: string, names: readonly string[], round = 0): Promise<string[]> {
  const urls: string[] = []
  for (const name of names) {
    const text = (at: number) =>
      `variable "${name}_${at}" {\n  description = "Round ${round}"\n}\nresource "aws_thing" "t${at}" {}\n`
    const files = { 'main.tf': text(0), 'modules/inner/main.tf': text(1) }
    const first = { files, tags: ['v1.0.0'] }
    const next = { files: { 'main.tf': text(2) }, tags: [`v1.${round}.1`] }
    const commits = round === 0 ? [first, next] : [{ ...next, continues: true }]
    urls.push(await buildRemote(join(dir, `terraform-aws-${name}.git`), commits))
  }
  return urls
}

/** Entries that read all of these. */
export function entriesOf(urls: readonly string[]) {
  return urls.map((url) => ({ url, branches: ['main'], max_tags: 0, recursive: true }))
}
