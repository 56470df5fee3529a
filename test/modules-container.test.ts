import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'

const ROOT = join(import.meta.dirname, '..')
const TARGETS = ['cli', 'api', 'mcp', 'dev']
/** What `npm run build` writes; everything else that is copied has to be in the repository. */
const BUILT = ['dist', 'node_modules', 'schemas', 'generated', 'package.json']

interface Stage {
  readonly name: string
  readonly from: string
  readonly lines: readonly string[]
}

/** The stages of a Dockerfile, continuation lines joined. */
function stagesOf(text: string): Stage[] {
  const lines = text
    .replace(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  const stages: { name: string; from: string; lines: string[] }[] = []
  for (const line of lines) {
    const [, from = '', name = ''] = /^FROM (\S+)(?: AS (\S+))?$/i.exec(line) ?? []
    if (from !== '') stages.push({ name, from, lines: [] })
    else stages.at(-1)?.lines.push(line)
  }
  return stages
}

const stages = stagesOf(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))

/** The instructions of a target and of every stage it is made from. */
function instructionsOf(target: string): string[] {
  const stage = stages.find(({ name }) => name === target)
  return stage ? [...instructionsOf(stage.from), ...stage.lines] : []
}

test('the container file has the four targets, all run by the user node', () => {
  for (const target of TARGETS) {
    const lines = instructionsOf(target)
    const last = lines.filter((line) => line.startsWith('USER ')).at(-1)
    assert.equal(last, 'USER node', target)
    assert.ok(
      lines.some((line) => line.includes('SERVICE_CONFIG=/app/config/config.yaml')),
      target,
    )
    assert.ok(lines.includes('VOLUME ["/app/config", "/app/output", "/app/repos"]'), target)
    assert.ok(
      lines.some((line) => /apt-get install.*\bgit\b/.test(line)),
      `${target} has git`,
    )
  }
})

test('each target starts what the specification says; only the API has a port and a health check', () => {
  const start = (target: string) => instructionsOf(target).filter((line) => /^(ENTRYPOINT|CMD) /.test(line))
  assert.deepEqual(start('api'), ['ENTRYPOINT ["satchel", "serve"]'])
  assert.deepEqual(start('mcp'), ['ENTRYPOINT ["satchel-mcp"]'])
  assert.deepEqual(start('cli'), ['ENTRYPOINT ["satchel"]', 'CMD ["--help"]'])
  assert.deepEqual(start('dev'), ['CMD ["bash"]'])
  for (const target of TARGETS) {
    const lines = instructionsOf(target)
    assert.equal(lines.includes('EXPOSE 8000'), target === 'api', target)
    assert.equal(
      lines.some((line) => line.startsWith('HEALTHCHECK ')),
      target === 'api',
      target,
    )
  }
})

test('every file the container file copies is in the repository or made by the build', () => {
  for (const { lines } of stages) {
    for (const line of lines.filter((one) => one.startsWith('COPY '))) {
      const words = line.split(/\s+/).slice(1)
      const isBuilt = words.some((word) => word.startsWith('--from='))
      const sources = words.filter((word) => !word.startsWith('--')).slice(0, -1)
      for (const source of sources) {
        const name = source.replace(/^\/src\//, '')
        assert.ok(isBuilt ? BUILT.includes(name) : existsSync(join(ROOT, source)), line)
      }
    }
  }
})

test('no layer holds a secret, and nothing private is sent to the builder', () => {
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n')
  for (const { lines } of stages) {
    for (const line of lines) {
      assert.doesNotMatch(line, /^(?:ENV|ARG).*(?:TOKEN|API_KEY|PASSWORD|SECRET)/i)
      assert.doesNotMatch(line, /^(?:COPY|ADD).*(?:\.ssh|\.netrc|\.gitconfig|\.env)/)
      assert.doesNotMatch(line, /^ADD |curl .*\| *sh/)
    }
  }
  for (const name of ['.git', 'node_modules', '.netrc', '.env']) assert.ok(ignored.includes(name), name)
})

test('the compose file builds the targets of the container file and publishes to this machine only', () => {
  const { services } = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8')) as {
    services: Record<string, { build?: { target: string }; ports?: string[] }>
  }
  for (const [name, { build, ports = [] }] of Object.entries(services)) {
    if (build) assert.ok(TARGETS.includes(build.target), name)
    for (const port of ports) assert.match(port, /^127\.0\.0\.1:/, name)
  }
  assert.equal(services['api']?.build?.target, 'api')
})

const engine = spawnSync('docker', ['info', '--format', '{{.ServerVersion}}'], { encoding: 'utf8' })
const canBuild = engine.status === 0 && process.env['SATCHEL_DOCKER'] === '1'

test('every target builds, where a container engine is at hand and SATCHEL_DOCKER=1', (t) => {
  if (!canBuild) {
    t.diagnostic(
      'NOT BUILT: no container engine answers, or SATCHEL_DOCKER is not 1; the file itself was checked',
    )
    return
  }
  for (const target of TARGETS) {
    const built = spawnSync(
      'docker',
      ['build', '--target', target, '--tag', `satchel-${target}:test`, ROOT],
      {
        encoding: 'utf8',
      },
    )
    assert.equal(built.status, 0, built.stderr.slice(-2000))
  }
})
