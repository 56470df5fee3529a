import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from './harness/index.ts'

const SATCHEL = join(import.meta.dirname, '../dist/satchel.js')

/** Answers and exit codes go to $DIR; what is read-only is so for root, too. */
const READ_ONLY = `
satchel() { name=$1; shift; code=0; "$NODE" "$SATCHEL" "$@" --json > "$DIR/$name.json" 2> "$DIR/$name.err" || code=$?; echo $code > "$DIR/$name.code"; }
git init -q "$DIR/remote"
cd "$DIR/remote"
echo 'variable "a" {}' > main.tf
git add main.tf
git -c user.name=a -c user.email=a@example.com commit -qm a
cd "$DIR/source"
satchel source handoff create --title a --objective b --current-state c
satchel backup backup "$DIR/backup"
for folder in state output clones; do mount -t tmpfs -o ro tmpfs "$DIR/$folder"; done
mount -t tmpfs tmpfs "$DIR/project"
cd "$DIR/project"
echo '# Plan' > plan.md
mount -o remount,ro "$DIR/project"
satchel create handoff create --title a --objective b --current-state c
satchel import handoff import "$DIR/HANDOFF.md" --project .
satchel output ingest "$DIR/output.yaml"
satchel clones ingest "$DIR/clones.yaml"
satchel sample init
satchel room workspace open plan.md
satchel backed-up backup "$DIR/project/backup" --project "$DIR/source"
satchel restore restore "$DIR/backup"
export XDG_STATE_HOME="$DIR/state"
satchel token token create a
satchel setup setup claude-code --yes
satchel lock restore "$DIR/backup"
satchel nested ingest "$DIR/nested.yaml"
`

test('on a file system that is read-only each verb that writes says so: store_unwritable, storage_failed', async (t) => {
  if (spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status !== 0) {
    t.skip('NOT RUN: this system has no disk to mount (unshare, tmpfs)')
    return
  }
  const dir = await temporaryFolder(t)
  for (const folder of ['home', 'source', 'project', 'state', 'output', 'clones', 'written'])
    mkdirSync(join(dir, folder))
  writeFileSync(join(dir, 'HANDOFF.md'), '# Go on\n\nText.\n')
  const config = (output: string, clones: string): string =>
    `repositories: [{ url: ${dir}/remote }]\noutput_dir: ${dir}/${output}\nclone_dir: ${dir}/${clones}\n`
  writeFileSync(join(dir, 'output.yaml'), config('output', 'written/a'))
  writeFileSync(join(dir, 'clones.yaml'), config('written/b', 'clones'))
  writeFileSync(join(dir, 'nested.yaml'), config('written/c', 'clones/further/down'))
  const env = {
    ...process.env,
    HOME: join(dir, 'home'),
    XDG_STATE_HOME: '',
    DIR: dir,
    NODE: process.execPath,
    SATCHEL,
  }

  const child = spawn('unshare', ['-rm', 'sh', '-eu', '-c', READ_ONLY], { env, stdio: 'inherit' })
  const [code] = await once(child, 'close')

  assert.equal(code, 0)
  const said = (name: string) => ({
    code: Number(readFileSync(join(dir, `${name}.code`), 'utf8')),
    data: JSON.parse(readFileSync(join(dir, `${name}.json`), 'utf8')),
  })
  for (const [name, reason] of [
    ['create', 'store_unwritable'],
    ['import', 'store_unwritable'],
    ['output', 'storage_failed'],
    ['nested', 'storage_failed'],
    ['sample', 'storage_failed'],
    ['room', 'store_unavailable'],
    ['backed-up', 'backup_not_written'],
    ['restore', 'restore_not_written'],
    ['token', 'tokens_not_written'],
    ['setup', 'config_not_written'],
    ['lock', 'restore_lock_not_written'],
  ] as const) {
    const { code: exit, data } = said(name)
    assert.deepEqual([name, exit, data.error.code, data.error.reason], [name, 7, 'unavailable', reason])
  }
  assert.equal(said('backup').code, 0)
  const clones = said('clones')
  assert.deepEqual([clones.code, clones.data.failures[0].reason], [3, 'storage_failed'])
  assert.match(said('nested').data.error.message, /clones/)
})
