import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Ajv } from 'ajv'
import { parse } from 'yaml'
import { temporaryFolder } from './harness/index.ts'
import { lacksPackage } from './optional-package.ts'
import { installedHaproxy } from './proxy-network.ts'
import { runSatchel } from './satchel-process.ts'

const ROOT = join(import.meta.dirname, '..')
const SCHEMA = join(ROOT, 'node_modules/dclint/schemas/compose.schema.json')
const SERVERS = ['one', 'two', 'three']
const { configs, services, volumes } = readCompose('compose.team.yaml')

interface Service {
  readonly build?: { readonly target: string; readonly args?: Readonly<Record<string, string>> }
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly configs: Readonly<Record<string, { readonly content: string }>>
  readonly volumes: object
}

function readCompose(name: string): Compose {
  return parse(readFileSync(join(ROOT, name), 'utf8'), { merge: true })
}

/** A file of the compose file, as a container gets it. */
function contentOf(name: string): string {
  return (configs[name]?.content ?? '').replaceAll('$$', '$')
}

test('both compose files are what the Compose Specification describes', async (t) => {
  if (await lacksPackage(t, 'dclint')) return
  const schema = JSON.parse(readFileSync(SCHEMA, 'utf8'))
  const validate = new Ajv({ strict: false, validateFormats: false }).compile({
    ...schema,
    $schema: 'http://json-schema.org/draft-07/schema#',
  })

  for (const name of ['compose.yaml', 'compose.team.yaml'])
    assert.ok(validate(readCompose(name)), `${name}: ${JSON.stringify(validate.errors)}`)
  assert.ok(!validate({ services: { one: { imge: 'x' } } }))
  assert.ok(!validate({ services: { one: { depends_on: { two: { condition: 'sometime' } } } } }))
})

test('three servers of one image with the pinned client announce themselves, and only the balancer is published', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const urls = SERVERS.map((name) => services[name]?.environment?.['SATCHEL_REPLICA_URL'])
  const same = SERVERS.map((name) => {
    const { environment, ...rest } = services[name] ?? {}
    const { SATCHEL_REPLICA_URL: _, ...others } = environment ?? {}
    return { ...rest, environment: others }
  })
  const published = Object.entries(services).flatMap(([name, { ports }]) => (ports ? [[name, ...ports]] : []))

  assert.deepEqual(
    urls,
    SERVERS.map((name) => `http://${name}:8000`),
  )
  assert.deepEqual(same[1], same[0])
  assert.deepEqual(same[2], same[0])
  for (const name of [...SERVERS, 'migrate'])
    assert.equal(services[name]?.build?.args?.['PEERS'], `pg@${devDependencies.pg}`)
  assert.deepEqual(published, [['balancer', '127.0.0.1:8000:8000']])
  assert.deepEqual(Object.keys(volumes), ['database'])
})

test('satchel takes the configuration of the compose file, also with its lines for a room and a catalogue', async (t) => {
  const written = contentOf('satchel')
  const all = written.replace(/^# (?=\w+: )/gm, '')

  for (const text of [written, all]) {
    const folder = await temporaryFolder(t)
    writeFileSync(join(folder, 'satchel.yaml'), text)
    const { code, out, err } = await runSatchel(folder, ['config', 'show', '--json'])
    assert.equal(code, 0, err)
    assert.match(out, /"handoff\.project": "team"/)
  }
  assert.match(all, /^workspace:/m)
})

test('haproxy takes its configuration, which has every server, and refuses a changed one', async (t) => {
  const told = await checkedByHaproxy(t, contentOf('haproxy'))
  if (!told) return
  const bad = await checkedByHaproxy(t, contentOf('haproxy').replace('roundrobin', 'roundabout'))
  const servers = [...contentOf('haproxy').matchAll(/^\s*server (\S+) (\S+)$/gm)].map(([, name, at]) => [
    name,
    at,
  ])

  assert.equal(told.status, 0, told.stderr)
  assert.notEqual(bad?.status, 0)
  assert.deepEqual(
    servers,
    SERVERS.map((name) => [name, `${name}:8000`]),
  )
})

/** What `haproxy -c` says; undefined where it is not installed, said loudly. `REQUIRE_PROXIES=1` makes that a failure. */
async function checkedByHaproxy(t: TestContext, text: string) {
  const program = installedHaproxy(t)
  if (program === undefined) return undefined
  const file = join(await temporaryFolder(t), 'haproxy.cfg')
  writeFileSync(file, text)
  return spawnSync(program, ['-c', '-f', file], { env: { SATCHEL_TOKEN: 'token' }, encoding: 'utf8' })
}
