import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { validate } from '../generated/handoff-validate.js'
import { temporaryFolder } from './harness/index.ts'

const SATCHEL = join(import.meta.dirname, '../dist/satchel.js')
/** A record of three pages, so that a page or two of free space takes a part of it. */
const STATE = 'The comparison helper works. '.repeat(350)
const CREATE = [
  'handoff',
  'create',
  '--title',
  'Full',
  '--objective',
  'Fit',
  '--current-state',
  STATE,
  '--json',
]

/** Answers and exit codes go to $DIR; the project is on a small disk of its own. */
const FULL_DISK = `
satchel() { name=$1; shift; code=0; "$NODE" "$SATCHEL" "$@" > "$DIR/$name.json" || code=$?; echo $code > "$DIR/$name.code"; }
mount -t tmpfs -o size=400k tmpfs "$DIR/project"
cd "$DIR/project"
satchel first "$@"
cp -r .handoffs "$DIR/before"
dd if=/dev/zero of=fill bs=4096 2>/dev/null || true
for pages in 0 1 2; do
  satchel "full-$pages" "$@"
  cp -r .handoffs "$DIR/after-full-$pages"
  satchel "list-$pages" handoff list --json
  rm -rf .handoffs/.cache
  satchel "edit-$pages" handoff set-status latest archived --json
  cp -r .handoffs "$DIR/after-edit-$pages"
  truncate -s -4096 fill
done
rm fill
satchel again "$@"
satchel shown handoff list --json
cp -r .handoffs "$DIR/after-again"
`

test('on a disk that is full a create and a change exit 7 and tear nothing, and the next create works once there is room', async (t) => {
  if (spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status !== 0) {
    t.skip('NOT RUN: this system has no small disk (unshare, tmpfs)')
    return
  }
  const dir = await temporaryFolder(t)
  mkdirSync(join(dir, 'project'))
  const env = { ...process.env, DIR: dir, NODE: process.execPath, SATCHEL }

  const child = spawn('unshare', ['-rm', 'sh', '-eu', '-c', FULL_DISK, 'sh', ...CREATE], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = await once(child, 'close')

  assert.equal(code, 0)
  const said = (name: string) => ({
    code: Number(readFileSync(join(dir, `${name}.code`), 'utf8')),
    data: JSON.parse(readFileSync(join(dir, `${name}.json`), 'utf8')),
  })
  const { id } = said('first').data
  const before = filesIn(join(dir, 'before'))
  for (const pages of [0, 1, 2]) {
    for (const verb of ['full', 'edit']) {
      const refused = said(`${verb}-${pages}`)
      assert.equal(refused.code, 7, `${verb} with ${pages} pages left`)
      assert.deepEqual([refused.data.error.code, refused.data.error.reason], ['unavailable', 'disk_full'])
      const after = filesIn(join(dir, `after-${verb}-${pages}`))
      assert.deepEqual(after.records, before.records, `${verb} with ${pages} pages left`)
      assert.deepEqual(after.temps, [])
    }
    const listed = said(`list-${pages}`)
    assert.deepEqual([listed.code, listed.data.items[0].id, listed.data.problems], [0, id, []])
  }
  const again = said('again')
  assert.equal(again.code, 0)
  assert.equal(said('shown').data.total, 2)
  const last = filesIn(join(dir, 'after-again')).records
  assert.deepEqual(Object.keys(last).toSorted(), [`${id}.json`, `${again.data.id}.json`].toSorted())
  for (const bytes of Object.values(last)) assert.equal(validate(JSON.parse(bytes)), true)
})

test('where no file may grow a create exits 7 and leaves nothing half written, and the next one works', async (t) => {
  const dir = await temporaryFolder(t)
  const create = async (limit: string) => {
    // In blocks of 512 bytes; what the limit cuts is answered with EFBIG, as a quota of a file system may.
    const args = ['-c', `${limit}; exec "$@"`, 'sh', process.execPath, SATCHEL, ...CREATE]
    const child = spawn('sh', args, { cwd: dir, stdio: ['ignore', 'pipe', 'inherit'] })
    const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
    return { code, data: JSON.parse(out) }
  }

  const refused = await create('ulimit -f 8')
  const left = filesIn(join(dir, '.handoffs'))
  const next = await create(':')

  assert.deepEqual(
    [refused.code, refused.data.error.code, refused.data.error.reason],
    [7, 'unavailable', 'store_unwritable'],
  )
  assert.deepEqual([left.records, left.temps], [{}, []])
  assert.deepEqual(
    [next.code, Object.keys(filesIn(join(dir, '.handoffs')).records)],
    [0, [`${next.data.id}.json`]],
  )
})

/** Records by name, and the names of temporary files. */
function filesIn(store: string) {
  const records = join(store, 'records')
  return {
    records: Object.fromEntries(
      readdirSync(records).map((name) => [name, readFileSync(join(records, name), 'utf8')]),
    ),
    temps: readdirSync(join(store, '.tmp')).filter((name) => name !== '.gitignore'),
  }
}
