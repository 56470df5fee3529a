import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Copy, DockerfileParser, type JSONInstruction } from 'dockerfile-ast'
import { validate } from 'dockerfile-utils'
import { parse } from 'yaml'
import { buildRemote } from '../plugins/modules/testing/build-remote.ts'
import { discover } from './container/discover.ts'
import { freePort } from './free-port.ts'
import { temporaryFolder } from './harness/index.ts'

const ROOT = join(import.meta.dirname, '..')
const TARGETS = ['cli', 'api', 'mcp', 'dev'] as const
/** What `npm run build` writes; everything else that is copied has to be in the repository. */
const BUILT = ['dist', 'node_modules', 'schemas', 'generated', 'package.json']
const TEXT = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')

interface Line {
  readonly keyword: string
  readonly text: string
  /** Of COPY: the stage it takes from. */
  readonly from?: string
  /** The words of the JSON form. */
  readonly words: readonly string[]
}

interface Stage {
  readonly name: string
  readonly from: string
  readonly lines: readonly Line[]
}

/** The stages of the container file, as the parser of an editor reads them. */
function stagesOf(text: string): Stage[] {
  const stages: { name: string; from: string; lines: Line[] }[] = []
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    const keyword = instruction.getKeyword()
    const content = instruction.getArgumentsContent() ?? ''
    const [, from = '', name = ''] = keyword === 'FROM' ? (/^(\S+)(?: AS (\S+))?$/i.exec(content) ?? []) : []
    if (from !== '') stages.push({ name, from, lines: [] })
    else stages.at(-1)?.lines.push(lineOf(instruction as Copy & JSONInstruction, keyword, content))
  }
  return stages
}

function lineOf(instruction: Copy & JSONInstruction, keyword: string, text: string): Line {
  const from = keyword === 'COPY' ? instruction.getFromFlag()?.getValue() : undefined
  const array = /(\[.*\])$/s.exec(text)?.[1]
  const words = ['ENTRYPOINT', 'CMD', 'HEALTHCHECK', 'VOLUME'].includes(keyword)
    ? JSON.parse(array ?? '[]')
    : []
  return { keyword, text, words, ...(from != null && { from }) }
}

const stages = stagesOf(TEXT)

/** The lines of a target and of every stage it is made from, down to `base` where that is named. */
function linesOf(target: string, base?: string): Line[] {
  const stage = stages.find(({ name }) => name === target)
  if (!stage) return []
  return [...(target === base ? [] : linesOf(stage.from, base)), ...stage.lines]
}

test('a linter finds nothing in the container file, and something in a bad one', () => {
  const bad = 'FROM node:20\nRUNN x\nEXPOSE abc\nCOPY --frm=x a b\n'

  assert.deepEqual(
    validate(TEXT).map(({ message, range }) => `${range.start.line + 1}: ${message}`),
    [],
  )
  assert.equal(validate(bad).length, 3)
})

test('the container file has the four targets, all run by the user node', () => {
  for (const target of TARGETS) {
    const lines = linesOf(target)
    const last = lines.filter(({ keyword }) => keyword === 'USER').at(-1)
    assert.equal(last?.text, 'node', target)
    assert.ok(
      lines.some(
        ({ keyword, text }) => keyword === 'ENV' && text.includes('SERVICE_CONFIG=/app/config/config.yaml'),
      ),
      target,
    )
    const volumes = lines.filter(({ keyword }) => keyword === 'VOLUME').map(({ words }) => words)
    assert.deepEqual(volumes, [['/app/config', '/app/output', '/app/repos']], target)
    assert.ok(
      lines.some(({ keyword, text }) => keyword === 'RUN' && /apt-get install.*\bgit\b/.test(text)),
      `${target} has git`,
    )
  }
})

test('each target starts what the specification says; only the API has a port and a health check', () => {
  const start = (target: string) =>
    linesOf(target).flatMap(({ keyword, words }) =>
      keyword === 'ENTRYPOINT' || keyword === 'CMD' ? [[keyword, ...words].join(' ')] : [],
    )
  assert.deepEqual(start('api'), ['ENTRYPOINT satchel serve'])
  assert.deepEqual(start('mcp'), ['ENTRYPOINT satchel-mcp'])
  assert.deepEqual(start('cli'), ['ENTRYPOINT satchel', 'CMD --help'])
  assert.deepEqual(start('dev'), ['CMD bash'])
  for (const target of TARGETS) {
    const lines = linesOf(target)
    const ports = lines.filter(({ keyword }) => keyword === 'EXPOSE').map(({ text }) => text)
    assert.deepEqual(ports, target === 'api' ? ['8000'] : [], target)
    assert.equal(
      lines.some(({ keyword }) => keyword === 'HEALTHCHECK'),
      target === 'api',
      target,
    )
  }
})

test('every file the container file copies is in the repository or made by the build', () => {
  for (const { from, text } of stages.flatMap(({ lines }) =>
    lines.filter(({ keyword }) => keyword === 'COPY'),
  )) {
    for (const source of text.split(/\s+/).slice(0, -1)) {
      const name = source.replace(/^\/src\//, '')
      assert.ok(from === undefined ? existsSync(join(ROOT, source)) : BUILT.includes(name), text)
    }
  }
})

test('no layer holds a secret, and nothing private is sent to the builder', () => {
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n')
  for (const { keyword, text } of stages.flatMap(({ lines }) => lines)) {
    assert.notEqual(keyword, 'ADD')
    if (/^(?:ENV|ARG)$/.test(keyword)) assert.doesNotMatch(text, /TOKEN|API_KEY|PASSWORD|SECRET/i)
    if (keyword === 'COPY') assert.doesNotMatch(text, /\.ssh|\.netrc|\.gitconfig|\.env/)
    assert.doesNotMatch(text, /curl .*\| *sh/)
  }
  for (const name of ['.git', 'node_modules', '.netrc', '.env']) assert.ok(ignored.includes(name), name)
})

test('the compose file builds the targets of the container file and publishes to this machine only', () => {
  const { services } = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8')) as {
    services: Record<string, { build?: { target: (typeof TARGETS)[number] }; ports?: string[] }>
  }
  for (const [name, { build, ports = [] }] of Object.entries(services)) {
    if (build) assert.ok(TARGETS.includes(build.target), name)
    for (const port of ports) assert.match(port, /^127\.0\.0\.1:/, name)
  }
  assert.equal(services['api']?.build?.target, 'api')
})

test('the service of the compose file writes to its volumes and /tmp only, without rights', () => {
  const { services, volumes } = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'))
  const { api } = services
  const mounted = api.volumes.map((volume: string) => volume.split(':')[1])
  const [, made = ''] = /^RUN mkdir -p ([^\\]+)\\\n.*\n.*chown -R node:node \/app\nCOPY/m.exec(TEXT) ?? []

  assert.deepEqual(
    [api.read_only, api.tmpfs, api.cap_drop, api.security_opt],
    [true, ['/tmp'], ['ALL'], ['no-new-privileges:true']],
  )
  assert.deepEqual(
    [...mounted].sort(),
    made.trim().split(' ').sort(),
    'what the user of the image owns is a volume',
  )
  assert.ok(mounted.includes(api.environment.XDG_STATE_HOME))
  for (const volume of api.volumes.filter((one: string) => !one.startsWith('.')))
    assert.ok(Object.hasOwn(volumes, volume.split(':')[0]), volume)
})

/** A target without an engine: its files below a folder, and how it is started. */
interface Box {
  readonly folder: string
  start(more?: { args?: readonly string[]; env?: Record<string, string> }): ChildProcess
  /** The command of its health check, ended: the exit code. */
  health(env: Record<string, string>): Promise<number>
}

/** Does what the stages after `base` say, below a folder of the test, with what `npm run build` made here. */
async function unpack(t: TestContext, target: string): Promise<Box> {
  const folder = await temporaryFolder(t)
  const placed = (text: string): string =>
    text.replace(/(?<![\w./])\/(opt|usr\/local\/bin|app)(?=[/\s]|$)/g, `${folder}/$1`)
  const env: Record<string, string> = {
    PATH: [join(folder, 'usr/local/bin'), dirname(process.execPath), process.env['PATH']].join(':'),
    HOME: folder,
  }
  let cwd = folder
  const said = new Map<string, readonly string[]>()
  mkdirSync(join(folder, 'usr/local/bin'), { recursive: true })
  for (const { keyword, text, from, words } of linesOf(target, 'runtime')) {
    if (keyword === 'ENV')
      Object.assign(
        env,
        Object.fromEntries(
          placed(text)
            .split(/\s+/)
            .map((pair) => pair.split('=')),
        ),
      )
    if (keyword === 'WORKDIR') {
      cwd = placed(text)
      mkdirSync(cwd, { recursive: true })
    }
    if (keyword === 'COPY') copy(placed(text).split(/\s+/), from)
    // The owner of the files is a matter of the image.
    if (keyword === 'RUN') {
      const ran = spawnSync('sh', ['-euc', `chown() { :; }; ${placed(text)}`], { cwd, env, encoding: 'utf8' })
      assert.equal(ran.status, 0, ran.stderr)
    }
    said.set(keyword, words)
  }
  const run = ([command = '', ...args]: readonly string[], more: Record<string, string>) => {
    const child = spawn(command, args, { cwd, env: { ...env, ...more }, stdio: ['pipe', 'pipe', 'inherit'] })
    t.after(() => child.kill('SIGKILL'))
    return child
  }
  return {
    folder,
    start: ({ args = said.get('CMD') ?? [], env: more = {} } = {}) =>
      run([...(said.get('ENTRYPOINT') ?? []), ...args], more),
    health: async (more) => (await once(run(said.get('HEALTHCHECK') ?? [], more), 'close'))[0],
  }
}

function copy(words: readonly string[], from: string | undefined): void {
  const to = words.at(-1) ?? ''
  for (const source of words.slice(0, -1)) {
    const name = source.replace(/^\/src\//, '')
    const place = to.endsWith('/') ? join(to, basename(name)) : to
    mkdirSync(dirname(place), { recursive: true })
    if (from === 'packages') linkProductionPackages(place)
    else cpSync(join(ROOT, name), place, { recursive: true })
  }
}

/** The packages of `npm ci --omit=dev --omit=peer`, by the lockfile, and no other. */
function linkProductionPackages(place: string): void {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean; peer?: boolean; optional?: boolean }>
  }
  for (const [path, { dev, devOptional, peer, optional }] of Object.entries(packages)) {
    const name = path.replace(/^node_modules\//, '')
    if (path === '' || dev || devOptional || peer || optional || name.includes('node_modules/')) continue
    mkdirSync(dirname(join(place, name)), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), join(place, name))
  }
}

test('the files of the cli target are enough to ingest into /app/output from /app/config/config.yaml', async (t) => {
  const box = await unpack(t, 'cli')
  const url = await buildRemote(join(box.folder, 'remote.git'), [
    { files: { 'main.tf': 'variable "a" {}\n' }, tags: ['v1.0.0'] },
  ])
  const help = box.start()
  const [helped] = await once(help, 'close')
  writeFileSync(join(box.folder, 'app/config/config.yaml'), JSON.stringify({ repositories: [{ url }] }))

  const [code] = await once(box.start({ args: ['ingest'] }), 'close')

  assert.equal(helped, 0)
  assert.equal(code, 0)
  assert.ok(readdirSync(join(box.folder, 'app/output')).includes('remote_v1.0.0.json'))
  const clones = readdirSync(join(box.folder, 'app/repos')).filter((name) => name !== '.locks')
  assert.equal(clones.length, 1)
})

test('the files of the api target answer /health, and its health check agrees, also that nothing answers', async (t) => {
  const box = await unpack(t, 'api')
  const port = await freePort()
  const env = { SERVER_PORT: String(port), SERVER_HOST: '127.0.0.1' }
  const early = await box.health(env)
  const child = box.start({ env })

  let status = 0
  while (status === 0 && child.exitCode === null) {
    await sleep(50)
    status = await fetch(`http://127.0.0.1:${port}/health`).then(
      (answer) => answer.status,
      () => 0,
    )
  }
  const late = await box.health(env)
  child.kill('SIGTERM')
  await once(child, 'close')

  assert.equal(early, 1)
  assert.equal(status, 200)
  assert.equal(late, 0)
})

test('the files of the mcp target answer server/discover on stdio', async (t) => {
  const box = await unpack(t, 'mcp')
  const child = box.start()
  assert.match(await discover(child), /"satchel"/)
})
