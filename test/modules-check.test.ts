import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { type Schema, Validator } from '@cfworker/json-schema'
import { openCallsTree } from '../plugins/modules/testing/calls-tree.ts'
import { temporaryFolder } from './harness/index.ts'
import { KEPT_CODE, runSatchel, SATCHEL } from './satchel-process.ts'

test('modules check reads a tree and says what it found as text, JSON, SARIF and workflow commands', async (t) => {
  const root = await openCallsTree(t)
  const check = (...more: string[]) => runSatchel(root, ['modules', 'check', 'live', ...more])

  const [plain, json, sarif, github] = await Promise.all([
    check(),
    check('--format', 'json'),
    check('--format', 'sarif'),
    check('--format', 'github'),
  ])

  for (const { code, err } of [plain, json, sarif, github]) assert.equal(code, 3, err)
  assert.match(plain.out, /^live\/main\.tf:5: error: unknown_input: .*"zones".* \[module\.k\]$/m)
  assert.match(plain.out, /^live\/outputs\.tf:2: error: unknown_output: .*"endpoint".* \[module\.k\]$/m)
  assert.match(plain.out, /^live\/a,b\/main\.tf:2: warning: unknown_ref: /m)
  assert.match(plain.out, /^3 module blocks in 3 files checked: 2 errors, 1 warning, 1 note\.$/m)
  const report = JSON.parse(json.out)
  assert.deepEqual([report.findings, report.failing, report.files], [4, 4, 3])
  assert.equal(report.blocks[0].module.ref, 'v1.0.0')
  const [run] = JSON.parse(sarif.out).runs
  const places = run.results.map((one: SarifResult) => {
    const { artifactLocation, region } = one.locations[0].physicalLocation
    assert.equal(run.tool.driver.rules[one.ruleIndex].id, one.ruleId)
    return `${artifactLocation.uri}:${region.startLine} ${one.level} ${one.ruleId}`
  })
  assert.deepEqual(places, [
    'live/a%2Cb/main.tf:2 warning unknown_ref',
    'live/a%2Cb/main.tf:5 note module_not_indexed',
    'live/main.tf:5 error unknown_input',
    'live/outputs.tf:2 error unknown_output',
  ])
  const prints = run.results.map((one: SarifResult) => one.partialFingerprints['satchel/v1'])
  assert.equal(new Set(prints).size, 4)
  assert.match(
    github.out,
    /^::error file=live\/main\.tf,line=5,title=unknown_input in module\.k::The module /m,
  )
  assert.match(github.out, /^::notice file=live\/a%2Cb\/main\.tf,line=5,title=module_not_indexed /m)
})

test('a directory that an ingested ref does not have is a warning, as its ref would be that does not exist', async (t) => {
  const root = await openCallsTree(t)
  const { repositories } = JSON.parse(await readFile(join(root, 'satchel.yaml'), 'utf8'))
  const source = `git::${repositories[0].url}//modules/none?ref=v1.0.0`
  await mkdir(join(root, 'nowhere'))
  await writeFile(join(root, 'nowhere/main.tf'), `module "n" {\n  source = "${source}"\n}\n`)

  const { code, out, err } = await runSatchel(root, ['modules', 'check', 'nowhere', '--fail-on', 'warning'])

  assert.equal(code, 3, err)
  assert.match(
    out,
    /^nowhere\/main\.tf:2: warning: module_missing: .* has no module at modules\/none in v1\.0\.0/m,
  )
})

test('a local module is compared wherever it lies in the repository of the call, and outside of it not in silence', async (t) => {
  const root = await temporaryFolder(t)
  const files = {
    'repo/.git/HEAD': 'ref: refs/heads/main\n',
    'repo/modules/q/main.tf': 'variable "size" { type = number }\n',
    'repo/live/main.tf': 'module "q" {\n  source = "../modules/q"\n  sise = 1\n}\n',
    'other/main.tf': 'module "q" {\n  source = "../repo/modules/q"\n  sise = 1\n}\n',
  }
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), content)
  }
  const [inside, file, foreign, outside] = await Promise.all([
    runSatchel(join(root, 'repo/live'), ['modules', 'check', '.']),
    runSatchel(join(root, 'repo/live'), ['modules', 'check', 'main.tf', '--format', 'json']),
    runSatchel(join(root, 'other'), ['modules', 'check', '../repo/live']),
    runSatchel(join(root, 'other'), ['modules', 'check', '.']),
  ])

  assert.match(inside.out, /error: unknown_input: .*"sise"/)
  assert.match(file.out, /"unknown_input"/)
  assert.match(foreign.out, /error: unknown_input: .*"sise"/)
  assert.match(outside.out, /main\.tf:2: note: local_module_outside: /)
  assert.doesNotMatch(outside.out, /nothing found/)
})

test('no format of a report shows a secret of a source', async (t) => {
  const root = await openCallsTree(t)
  await mkdir(join(root, 'leak'))
  await writeFile(
    join(root, 'leak/main.tf'),
    `module "a" {\n  source = "git::https://u:s3cr3t@host.example/a.git?ref=v1"\n}\nmodule "b" {\n  source = "https://host.example/m.zip?X-Token=s3cr3t"\n}\n`,
  )
  const runs = await Promise.all([
    ...['text', 'json', 'sarif', 'github'].map((format) =>
      runSatchel(root, ['modules', 'check', 'leak', '--format', format]),
    ),
    runSatchel(root, ['modules', 'check', 'leak/main.tf']),
    runSatchel(root, ['modules', 'upgrade', 'leak/main.tf']),
    runSatchel(root, ['modules', 'show', 'https://u:s3cr3t@host.example/a.git']),
  ])

  for (const { code, out, err } of runs) {
    assert.notEqual(code, 0)
    assert.match(out + err, /host\.example/)
    assert.doesNotMatch(out + err, /s3cr3t/)
  }
})

/** What the schema of SARIF 2.1.0, as Microsoft's tools carry it, finds wrong. */
async function sarifErrors(log: unknown): Promise<readonly string[]> {
  const tools = import.meta.resolve('@microsoft/sarif-multitool-ts')
  const schema = new URL('../assets/sarif-2.1.0.schema.json', tools)
  const read: Schema = JSON.parse(await readFile(schema, 'utf8'))
  return new Validator(read, '2020-12', false)
    .validate(log)
    .errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`)
}

test('the SARIF of a report fits the schema of SARIF 2.1.0, with findings and without', async (t) => {
  const root = await openCallsTree(t)
  await mkdir(join(root, 'empty-tree'))
  const check = async (path: string) =>
    JSON.parse((await runSatchel(root, ['modules', 'check', path, '--format', 'sarif'])).out)

  const [found, none] = await Promise.all([check('live'), check('empty-tree')])
  const broken = structuredClone(found)
  broken.runs[0].results[0].level = 'fatal'
  broken.runs[0].results[1].locations[0].physicalLocation.region.startLine = 0

  assert.equal(found.runs[0].results.length, 4)
  for (const log of [found, none]) assert.deepEqual(await sarifErrors(log), [])
  const said = (await sarifErrors(broken)).join('\n')
  assert.match(said, /level/)
  assert.match(said, /startLine/)
})

interface SarifResult {
  readonly ruleId: string
  readonly ruleIndex: number
  readonly level: string
  readonly locations: readonly [
    {
      readonly physicalLocation: {
        readonly artifactLocation: { readonly uri: string }
        readonly region: { readonly startLine: number }
      }
    },
  ]
  readonly partialFingerprints: { readonly 'satchel/v1': string }
}

test('the exit code of modules check depends on --fail-on, and what is left out is not judged', async (t) => {
  const root = await openCallsTree(t)
  const check = (...more: string[]) => runSatchel(root, ['modules', 'check', ...more])

  const runs = await Promise.all([
    check('live/a,b', '--fail-on', 'warning'),
    check('live/a,b', '--fail-on', 'error'),
    check('live', '--fail-on', 'error', '--exclude', '*.tf'),
    check('live/none', '--json'),
    check('live', '--format', 'xml'),
  ])

  assert.deepEqual(
    runs.map(({ code }) => code),
    [3, 0, 0, 4, 2],
    runs.map(({ err, out }) => err + out).join('\n'),
  )
})

test('where nothing was ingested local calls are judged, and calls of git and registries get a note', async (t) => {
  const root = await openCallsTree(t)
  await mkdir(join(root, 'live/box'))
  await writeFile(join(root, 'live/box/main.tf'), 'variable "size" {}\n')
  await writeFile(join(root, 'live/local.tf'), 'module "l" {\n  source = "./box"\n}\n')
  const check = (...more: string[]) =>
    runSatchel(root, ['modules', 'check', 'live', '--output-dir', 'empty', ...more])

  const [plain, remoteOnly] = await Promise.all([
    check(),
    check('--exclude', '**/local.tf', '--fail-on', 'warning'),
  ])

  assert.deepEqual([plain.code, remoteOnly.code], [3, 0], plain.err + remoteOnly.err)
  assert.match(plain.out, /^live\/local\.tf:1: error: missing_input: /m)
  assert.match(plain.out, /^live\/main\.tf:2: note: module_not_indexed: /m)
  assert.match(plain.out, /^4 module blocks .* checked: 1 error, 3 notes\.$/m)
  assert.match(plain.err, /Nothing has been ingested yet/)
  assert.ok(!(await readdir(root)).includes('empty'))
})

test('modules check reads standard input, and local calls need no ingest', async (t) => {
  const root = await temporaryFolder(t)
  await mkdir(join(root, 'box'))
  await writeFile(join(root, 'box/main.tf'), 'variable "size" {}\n')
  const child = spawn(SATCHEL[0], [...SATCHEL.slice(1), 'modules', 'check', '-', '--json'], {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: root, ...KEPT_CODE },
  })
  child.stdin.end('module "x" {\n  source = "./box"\n}\n')
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])

  const [block] = JSON.parse(out).blocks
  assert.deepEqual([code, block.file, block.findings[0].code], [3, '-', 'missing_input'])
})
