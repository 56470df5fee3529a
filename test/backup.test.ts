import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { chmod, cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { buildRemote } from '../plugins/modules/testing/build-remote.ts'
import { digestOf } from '../server/backup/manifest.ts'
import { startCli } from '../server/cli/testing/run-cli.ts'
import { filesBelow } from './harness/files-below.ts'
import { temporaryFolder } from './harness/index.ts'
import { killed } from './harness/killed.ts'
import { SATCHEL } from './satchel-process.ts'
import { type RoomProcess, spawnRoomProcess } from './workspace-process.ts'

const [, ...WORDS] = SATCHEL
const KILLS = Number(process.env['SATCHEL_KILLS'] ?? 2)
const RECORD = {
  objective: 'Ship the release',
  current_state: 'It builds.',
  open_items: [{ priority: 'high', description: 'Tag it', suggested_action: 'Run git tag' }],
}

/** Locks belong to the processes of a machine and are not copied. */
function withoutLocks(files: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...files].filter(([name]) => !name.includes('.locks')))
}

/** A project with a room and one repository of modules to ingest. */
async function makeProject(t: TestContext) {
  const home = await temporaryFolder(t)
  const root = join(home, 'project')
  await mkdir(root)
  const url = await buildRemote(join(home, 'terraform-net'), [
    { files: { 'main.tf': 'variable "name" {\n  type = string\n}\n' }, tags: ['v1.0.0'] },
  ])
  const settings = [
    `repositories: [{ url: '${url}', include_tags: true }]`,
    `output_dir: ${join(root, 'catalogue')}`,
    `clone_dir: ${join(home, 'clones')}`,
    'workspace: { file: plan.md }',
    '',
  ]
  await writeFile(join(root, 'satchel.yaml'), settings.join('\n'))
  await writeFile(join(root, 'plan.md'), '# Plan\n')
  const run = (...args: string[]) => startCli(args, { cwd: root, env: { HOME: home } }).done
  return { home, root, run }
}

/** A project with handoffs only, enough of them that writing takes a while. */
async function makeRecords(t: TestContext, count: number) {
  const home = await temporaryFolder(t)
  const root = join(home, 'project')
  const records = join(root, '.handoffs/records')
  await mkdir(records, { recursive: true })
  for (let n = 0; n < count; n++) await writeFile(join(records, `hof_${n}.json`), `{"n":${n}}\n`)
  const backup = join(home, 'backup')
  const run = (...args: string[]) => startCli(args, { cwd: root, env: { HOME: home } }).done
  return { home, root, records, backup, run }
}

describe('satchel backup and satchel restore', () => {
  it('say where the lock of a restore could not be written, and restore nothing', async (t) => {
    const { home, records, backup, run } = await makeRecords(t, 1)
    assert.equal((await run('backup', backup)).code, 0)
    await rm(records, { recursive: true })
    await writeFile(join(home, '.local'), 'not a folder')

    const { code, out } = await run('restore', backup, '--json')

    assert.equal(code, 7)
    assert.equal(JSON.parse(out).error.reason, 'restore_lock_not_written')
    assert.equal(existsSync(records), false)
  })

  it('bring back what was acknowledged, after the process was killed while it wrote and everything was lost', async (t) => {
    const { home, root, run } = await makeProject(t)
    const backup = join(home, 'backup')
    const ingested = await run('ingest')
    assert.equal(ingested.code, 0, ingested.err)
    const start = (name: string) =>
      spawnRoomProcess(t, {
        name,
        args: [
          '--project',
          root,
          '--config',
          join(root, 'satchel.yaml'),
          '--profile',
          'full',
          '--room',
          join(root, 'plan.md'),
        ],
        program: WORDS,
        env: { HOME: home },
      })
    const agent = start('writer')
    const acknowledged = { records: [] as string[], summaries: [] as string[] }
    let writing = true
    const write = async (): Promise<void> => {
      for (let n = 0; writing; n++) {
        const beganMs = performance.now()
        const record = await agent.call('handoff_create', { ...RECORD, title: `Ship ${n}` })
        acknowledged.records.push(String(record['id']))
        const proposal = await agent.call('workspace_propose', {
          base_version: 1,
          summary: `change ${n}`,
          content: `# Plan ${n}\n`,
        })
        assert.equal(typeof proposal['proposal_id'], 'string', JSON.stringify(proposal))
        acknowledged.summaries.push(`change ${n}`)
        await agent.call('workspace_withdraw', { proposal_id: proposal['proposal_id'] })
        // A store is copied while it holds still for one look, which takes a slow machine as much longer as a change.
        await pause(Math.max(250, 4 * (performance.now() - beganMs)))
      }
    }
    const failed: unknown[] = []
    write().catch((thrown: unknown) => failed.push(thrown)) // after the kill its call is never answered
    while (acknowledged.summaries.length < 3 && failed.length === 0) await pause(20)
    const before = { records: [...acknowledged.records], summaries: [...acknowledged.summaries] }

    const backedUp = await run('backup', backup, '--json')
    writing = false
    await killed(agent.child)
    assert.deepEqual(failed, [])
    const catalogue = withoutLocks(filesBelow(join(root, 'catalogue')))
    for (const name of ['.handoffs', '.plan.md.satchel', 'plan.md', 'catalogue']) {
      await rm(join(root, name), { recursive: true, force: true })
    }
    const restored = await run('restore', backup, '--json')

    assert.equal(backedUp.code, 0, backedUp.out)
    assert.equal(restored.code, 0, restored.out)
    const again = start('reader')
    const found = await summariesOf(again)
    for (const id of before.records)
      assert.ok(existsSync(join(root, '.handoffs/records', `${id.toLowerCase()}.json`)))
    for (const summary of before.summaries) assert.ok(found.includes(summary), summary)
    assert.deepEqual(filesBelow(join(root, 'catalogue')), catalogue)
    const doctor = await run('doctor', '--json')
    assert.equal(JSON.parse(doctor.out).problems, 0, doctor.out)
  })

  it(`is one restore, however often it was killed before: ${KILLS} times here`, async (t) => {
    const { root, records, backup, run } = await makeRecords(t, 150)
    const saved = filesBelow(records)
    assert.equal((await run('backup', backup)).code, 0)
    const old = '{"old":true}\n'
    await rm(records, { recursive: true })
    await mkdir(records)
    await writeFile(join(records, 'hof_0.json'), old)
    for (let n = 0; n < KILLS; n++) {
      await killedAt(root, ['restore', backup, '--force'], n)

      const now = filesBelow(records)
      const isOld = now.size === 1 && now.get('hof_0.json') === old
      assert.ok(now.size === 0 || isOld || now.size === 150, `${now.size} files`)
    }
    const last = await run('restore', backup, '--force')

    const kept = readdirSync(root).filter((name) => name.startsWith('.handoffs.before-'))
    assert.equal(last.code, 0, last.err)
    assert.deepEqual(filesBelow(records), saved)
    assert.ok(kept.some((name) => existsSync(join(root, name, 'records/hof_0.json'))))
    assert.deepEqual(
      readdirSync(root).filter((name) => name.endsWith('.restoring')),
      [],
    )
  })

  it('keeps a backup private, and restores nothing over other content without --force', async (t) => {
    const { root, records, backup, run } = await makeRecords(t, 3)
    const made = await run('backup', backup)
    const modes = readdirSync(backup, { recursive: true, encoding: 'utf8' }).map((name) => {
      const { mode } = statSync(join(backup, name))
      return statSync(join(backup, name)).isFile() ? mode & 0o777 : (mode & 0o777) | 0o1000
    })
    const same = await run('restore', backup)
    await writeFile(join(records, 'hof_1.json'), '{"newer":true}\n')
    const before = filesBelow(root)

    const refused = await run('restore', backup, '--json')
    const untouched = filesBelow(root)
    const forced = await run('restore', backup, '--force', '--json')

    assert.equal(made.code, 0, made.err)
    assert.equal(statSync(backup).mode & 0o777, 0o700)
    assert.deepEqual(new Set(modes), new Set([0o600, 0o1700]))
    assert.match(same.out, /handoff\/handoffs: the same already/)
    assert.equal(refused.code, 5)
    assert.match(refused.out, /"reason": "store_differs"[\s\S]*1 files, such as store\/records\/hof_1\.json/)
    assert.deepEqual(untouched, before)
    assert.equal(forced.code, 0, forced.err)
    const [kept] = JSON.parse(forced.out).stores[0].kept
    assert.equal(readFileSync(join(kept, 'records/hof_1.json'), 'utf8'), '{"newer":true}\n')
    assert.equal(readFileSync(join(records, 'hof_1.json'), 'utf8'), '{"n":1}\n')
  })

  it('refuses a folder that is used, and a backup that is incomplete, damaged, newer or hostile', async (t) => {
    const { home, root, backup, run } = await makeRecords(t, 3)
    await run('backup', backup)
    await rm(join(root, '.handoffs'), { recursive: true })
    const manifest = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'))
    const record = join('handoff', 'handoffs', 'store', 'records', 'hof_1.json')
    const escaping = [{ ...manifest.stores[0], files: [{ ...manifest.stores[0].files[0], name: '../../x' }] }]
    const foreign = [{ ...manifest.stores[0], plugin: 'unknown' }]
    const withManifest = (value: unknown) => (folder: string) =>
      writeFile(join(folder, 'manifest.json'), JSON.stringify(value))
    const damages: Readonly<
      Record<string, readonly [damage: (folder: string) => Promise<void>, reason: string]>
    > = {
      'no manifest': [(folder) => rm(join(folder, 'manifest.json')), 'backup_not_found'],
      'a file is changed': [(folder) => writeFile(join(folder, record), '{"n":7}\n'), 'backup_damaged'],
      'a file is missing': [(folder) => rm(join(folder, record)), 'backup_damaged'],
      'a manifest is cut': [withManifest({ version: 1 }), 'backup_damaged'],
      'a list is changed': [withManifest({ ...manifest, stores: [] }), 'backup_damaged'],
      'of a newer version': [withManifest({ ...manifest, version: 2, satchel: '9.0.0' }), 'backup_newer'],
      'a name leaves the folder': [
        withManifest({ ...manifest, stores: escaping, sha256: digestOf(escaping) }),
        'backup_damaged',
      ],
      'of an unknown plugin': [
        async (folder) => {
          await cp(join(folder, 'handoff'), join(folder, 'unknown'), { recursive: true })
          await withManifest({ ...manifest, stores: foreign, sha256: digestOf(foreign) })(folder)
        },
        'store_unknown',
      ],
    }
    for (const [name, [damage, reason]] of Object.entries(damages)) {
      const copy = join(home, 'copy')
      await cp(backup, copy, { recursive: true })
      await chmod(copy, 0o700)
      await damage(copy)

      const refused = await run('restore', copy, '--force', '--json')

      assert.equal(JSON.parse(refused.out).error?.reason, reason, name)
      assert.deepEqual(readdirSync(root), [], name)
      await rm(copy, { recursive: true })
    }
    const used = await run('backup', backup, '--json')
    const nothing = await run('backup', join(home, 'other'), '--json')

    assert.equal(JSON.parse(used.out).error.reason, 'backup_folder_used')
    assert.equal(JSON.parse(nothing.out).error.reason, 'backup_empty')
  })

  it('leaves a room alone that another process has open', async (t) => {
    const { home, root, run } = await makeProject(t)
    const backup = join(home, 'backup')
    const agent = spawnRoomProcess(t, {
      name: 'a',
      args: ['--project', root, '--room', join(root, 'plan.md'), '--profile', 'full'],
      program: WORDS,
      env: { HOME: home },
    })
    await agent.call('workspace_status', {})
    assert.equal((await run('backup', backup)).code, 0)
    await agent.call('workspace_propose', { base_version: 1, summary: 'later', content: '# Later\n' })

    const refused = await run('restore', backup, '--force', '--json')

    assert.equal(JSON.parse(refused.out).error?.reason, 'store_in_use', refused.out)
    const status = await agent.call('workspace_status', {})
    assert.equal(status['error'], undefined)
  })
})

/** Kills a command some time after it began to write beside the store, and waits for its end. */
async function killedAt(root: string, args: readonly string[], turns: number): Promise<void> {
  const [program, ...words] = SATCHEL
  const child = spawn(program, [...words, ...args], { cwd: root, env: process.env, stdio: 'ignore' })
  const closed = once(child, 'close')
  const staged = join(root, '.handoffs.restoring/records')
  while (child.exitCode === null && countIn(staged) < 1 + turns * 100) await pause(5)
  child.kill('SIGKILL')
  await closed
}

function countIn(folder: string): number {
  try {
    return readdirSync(folder).length
  } catch {
    return 0 // not there yet, or moved to its place
  }
}

/** The summaries of all proposals of a room, page by page. */
async function summariesOf(agent: RoomProcess): Promise<readonly string[]> {
  const found: string[] = []
  for (let cursor: unknown; ; ) {
    const page = await agent.call('workspace_proposals', {
      limit: 10,
      ...(cursor !== undefined && { cursor }),
    })
    const { proposals, next_cursor: next } = page as {
      proposals?: { summary: string }[]
      next_cursor?: string
    }
    assert.ok(proposals, JSON.stringify(page))
    found.push(...proposals.map(({ summary }) => summary))
    cursor = next
    if (next === undefined) return found
  }
}
