import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileFacts } from './files/file-facts.ts'
import { type Answer, openTestProject, SMALL } from './testing/fixture.ts'
import { VALID } from './testing/handoff-cases.ts'

/** Secrets, each different, so that one that is found tells where it was put. */
function createCanaries() {
  const given: string[] = []
  const secret = () => {
    const canary = `ghp_${String(given.length).padStart(6, '0')}${'a1B2'.repeat(7)}`
    given.push(canary)
    return canary
  }
  return { given, secret, text: () => `before ${secret()} after` }
}

type Canaries = ReturnType<typeof createCanaries>

/** Everything an author can say, a secret in each text and name. */
function authoredWith({ secret, text }: Canaries) {
  return {
    title: text(),
    objective: text(),
    current_state: text(),
    why_it_matters: text(),
    scope: [text()],
    constraints: [text()],
    definition_of_done: [text()],
    completed: [text()],
    in_progress: [text()],
    discoveries: [text()],
    decisions: [{ decision: text(), rationale: text(), alternatives_considered: [text()], own: text() }],
    evidence: [
      { type: 'command', claim: text(), ref: text(), result: text(), digest: text() },
      { type: 'url', claim: text(), ref: `https://user:${secret()}@example.org/` },
    ],
    failed_attempts: [{ approach: text(), reason: text(), avoid_repeating: true }],
    open_items: [
      { description: text(), suggested_action: text(), acceptance_check: text(), blocked_by: [text()] },
    ],
    artifacts: [
      { path: `logs/${secret()}.txt`, description: text(), revision: text(), content_hash: text() },
    ],
    risks: [{ description: text(), mitigation: text(), severity: 'low' }],
    extra: { [`name ${secret()}`]: text(), deep: { list: [text(), { [secret()]: 1 }] } },
  }
}

test('a secret in any text of any input reaches no file, answer, log or error', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const canaries = createCanaries()
  const { text, secret } = canaries
  const seen: string[] = []
  const call = async (tool: string, input: Record<string, unknown>): Promise<Answer> => {
    const answer = await project.call(tool, input).catch((thrown) => {
      const { message, details, next } = thrown
      seen.push(`${tool} failed: ${JSON.stringify({ message, details, next })}`)
      return undefined
    })
    seen.push(`${tool}: ${JSON.stringify(answer)}`)
    return answer
  }
  const etagOf = async (id: string) => (await project.call('handoff_get', { id, max_tokens: 300_000 })).etag

  const { id } = await call('handoff_create', { ...authoredWith(canaries), idempotency_key: text() })
  const forks: string[] = []
  for (const branch_label of [text(), text()]) {
    const input = { id, relation: 'fork', branch_label, overrides: authoredWith(canaries) }
    forks.push((await call('handoff_branch', input)).id)
  }
  const [fork = ''] = forks
  const {
    title: _,
    objective: _o,
    current_state: _c,
    why_it_matters: _w,
    extra,
    ...lists
  } = authoredWith(canaries)
  await call('handoff_update', { id: fork, if_match: await etagOf(fork), append: lists })
  await call('handoff_update', {
    id: fork,
    if_match: await etagOf(fork),
    patch: [
      { op: 'replace', path: '/summary/current_state', value: text() },
      { op: 'add', path: '/own', value: extra },
      { op: 'add', path: `/${secret()}`, value: text() },
    ],
  })
  const report = await call('handoff_merge', { ids: forks })
  await call('handoff_merge', {
    ids: forks,
    strategy: 'draft',
    title: text(),
    objective: text(),
    current_state: text(),
    resolutions: report.conflicts.slice(0, 2).map((conflict: { id: string }) => ({
      conflict_id: conflict.id,
      choose: 'text',
      text: text(),
      rationale: text(),
    })),
  })
  await call('handoff_transition', { id: fork, to: 'validated' })
  await call('handoff_transition', {
    id: fork,
    to: 'ready',
    accept_warnings: text(),
    reason: text(),
    nonce: text(),
  })
  await call('handoff_transition', { id: fork, to: 'archived', reason: text(), nonce: text() })
  const imported = { ...VALID, summary: { ...VALID.summary, current_state: text() }, [secret()]: text() }
  await call('handoff_import', { content: JSON.stringify(imported) })
  await call('handoff_import', { content: JSON.stringify(imported), secrets: 'redact' })
  await call('handoff_import', {
    content: `# ${text()}\n\n## Next\n- ${text()}\n\nand ${text()}\n`,
    secrets: 'redact',
  })
  await call('handoff_validate', { record: { ...VALID, status: text(), [secret()]: text() } })
  await call('handoff_validate', { record: `{"a": ${secret()}` })
  await call('handoff_redact', { text: text() })
  await call('handoff_redact', { record: imported })
  await call('handoff_create', { ...authoredWith(canaries), title: '' })
  await call('handoff_create', { ...SMALL, decisions: [{ decision: '', rationale: text() }] })
  const { path } = await call('handoff_create', SMALL)
  for (const at of [`/nothing/${secret()}`, `/status/${secret()}`, secret()]) {
    await call('handoff_update', {
      id: fork,
      if_match: await etagOf(fork),
      patch: [{ op: 'remove', path: at }],
    })
    await call('handoff_get', { id: fork, pointer: at })
    await call('handoff_redact', { id: fork, fields: [at], apply: true })
  }
  await call('handoff_get', { id: secret() })
  await call('handoff_branch', { id: secret(), relation: 'continue' })
  await call('handoff_list', { query: `${secret()}:x` })
  await call('handoff_list', { status: [secret()] })
  await call('handoff_import', { path: `${secret()}.json` })
  await call('handoff_resume', { id: forks[1], claim: { by: text() } })
  await call('handoff_resume', { id: forks[1], claim: { by: text() } })
  await call('handoff_doctor', {})
  await call('handoff_list', { query: 'before' })
  await call('handoff_check_plan', { id: fork, plan: 'before after' })
  await call('handoff_resume', { id: fork, mark: false })

  const places = new Map<string, string>([
    ...project.files().map((file) => [file, project.read(file)] as const),
    ['names of files', project.files().join('\n')],
    ['answers and errors', seen.join('\n')],
    ['the log', project.logged.join('\n')],
  ])
  const leaks = canaries.given.flatMap((canary) =>
    [...places]
      .filter(([, content]) => content.includes(canary.slice(4)))
      .map(([place]) => `${canary} in ${place}`),
  )
  assert.deepEqual(leaks, [])
  assert.ok(canaries.given.length > 150)
  assert.ok(project.read(path).includes(SMALL.title))
})

test('a file that is swapped for a link while it is checked is never read outside the project', async (t) => {
  const outside = await openTestProject(t)
  outside.write('secret.txt', 'no caller may read this')
  const project = await openTestProject(t, { repository: true })
  const inside = join(project.root, 'data')
  mkdirSync(inside)
  writeFileSync(join(inside, 'secret.txt'), 'harmless')
  const swapper = spawn(process.execPath, ['-e', SWAP, project.root, outside.root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(swapper, 'close')
  const found = new Map<string, number>()
  const of = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`
  const metBoth = (): boolean => found.has(of('harmless')) && found.has('outside')
  try {
    await once(swapper.stdout, 'data')
    // Both processes get their turns when the machine gives them: 1500 looks may all fall into one of the other's.
    for (let n = 0; n < 1500 || !metBoth(); n++) {
      const fact = (await fileFacts(project.root, ['data/secret.txt'], () => Date.now())).get(
        'data/secret.txt',
      )
      const what = fact?.kind === 'file' ? String(fact.sha256) : String(fact?.kind)
      found.set(what, (found.get(what) ?? 0) + 1)
    }
  } finally {
    swapper.kill('SIGKILL')
    await ended
  }

  t.diagnostic([...found].map(([what, times]) => `${what.slice(0, 20)}: ${times}`).join(', '))
  assert.equal(found.has(of('no caller may read this')), false)
  assert.ok(metBoth(), 'the check met both')
})

/** Puts the folder and a link to the outside in each other's place, over and over. */
const SWAP = `
  const { renameSync, symlinkSync, rmSync } = require('node:fs')
  const [root, outside] = process.argv.slice(1)
  symlinkSync(outside, root + '/link')
  console.log('swapping')
  const step = () => {
    renameSync(root + '/data', root + '/aside')
    renameSync(root + '/link', root + '/data')
    renameSync(root + '/data', root + '/link')
    renameSync(root + '/aside', root + '/data')
    setImmediate(step)
  }
  step()
`

test('a captured head that is not a commit id never reaches git', async (t) => {
  const tools = await openTestProject(t)
  const log = join(tools.root, 'argv')
  tools.write(
    'bin/git',
    `#!/bin/sh\nprintf '%s\\n' "$@" >> '${log}'\nPATH='${process.env['PATH']}' exec git "$@"\n`,
  )
  chmodSync(join(tools.root, 'bin/git'), 0o755)
  const project = await openTestProject(t, {
    repository: true,
    env: { PATH: `${tools.root}/bin:${process.env['PATH']}` },
  })
  const { id, path } = await project.call('handoff_create', { ...SMALL, scope: ['--scope-canary', 'src/**'] })
  const heads = [
    '--output=x',
    '-c x',
    'HEAD;x',
    '$(touch x)',
    'HEAD',
    'canary~1',
    'g'.repeat(40),
    'a'.repeat(65),
  ]

  for (const head of heads) {
    project.write(
      path,
      project.read(path).replace(/"head": "[^"]*"/, () => `"head": ${JSON.stringify(head)}`),
    )
    assert.equal((await project.call('handoff_freshness', { id })).state, 'unknown', head)
    await project.call('handoff_validate', { id })
    await project.call('handoff_resume', { id, mark: false })
  }

  const argv = readFileSync(log, 'utf8').split('\n')
  assert.ok(argv.includes('rev-parse'), 'the recorder sees what git gets')
  for (const head of heads.filter((one) => one !== 'HEAD')) {
    assert.deepEqual(
      argv.filter((word) => word.includes(head)),
      [],
      head,
    )
  }
  assert.deepEqual(
    argv.filter((word) => word.includes('scope-canary')),
    [],
  )
})

const isRecord = (file: string) => file.includes('/records/') || file.includes('/.tmp/')

const TOO_BIG: readonly [string, Partial<Record<string, unknown>>, string, string][] = [
  ['one byte over 1 MiB', { current_state: 'x'.repeat(2 ** 20) }, 'too_large', 'record_too_large'],
  ['65 levels', { extra: { deep: nested(70) } }, 'too_large', 'too_deep'],
  [
    '5,001 items',
    { risks: Array(5001).fill({ description: 'x', severity: 'low', mitigation: null }) },
    'too_large',
    'too_many_items',
  ],
]

function nested(levels: number): unknown {
  return levels === 0 ? 1 : [nested(levels - 1)]
}

for (const [what, change, code, reason] of TOO_BIG) {
  test(`a record of ${what} is refused with ${reason} and nothing is written`, async (t) => {
    const project = await openTestProject(t)
    const { id, path, etag } = await project.call('handoff_create', SMALL)
    const before = project.read(path)
    const files = project.files()

    await assert.rejects(project.call('handoff_create', { ...SMALL, parent: 'none', ...change }), {
      code,
      reason,
    })
    await assert.rejects(project.call('handoff_branch', { id, relation: 'continue', overrides: change }), {
      code,
      reason,
    })
    const [[name, value] = ['', undefined]] = Object.entries(change)
    const at = name === 'current_state' ? '/summary/current_state' : name === 'extra' ? '/deep' : '/risks'
    const patch = [{ op: 'add', path: at, value: name === 'extra' ? nested(70) : value }]
    await assert.rejects(project.call('handoff_update', { id, if_match: etag, patch }), { code, reason })

    assert.equal(project.read(path), before)
    assert.deepEqual(
      project.files().filter((file) => isRecord(file)),
      files.filter((file) => isRecord(file)),
    )
  })
}

test('a record at the limits is taken', async (t) => {
  const project = await openTestProject(t)
  const risks = Array(4990).fill({ description: 'x', severity: 'low', mitigation: null })

  const { id } = await project.call('handoff_create', { ...SMALL, risks })

  assert.equal((await project.call('handoff_validate', { id, level: 'schema' })).schema_valid, true)
})

test('what is not a record at all gets a verdict, not an error', async (t) => {
  const project = await openTestProject(t)
  for (const record of [null, [], 7, 'not json', '', '\ufeff', true]) {
    const verdict = await project.call('handoff_validate', { record })
    assert.equal(verdict.schema_valid, false, JSON.stringify(record))
    assert.equal(verdict.validation.status, 'fail')
    assert.ok(verdict.errors_total > 0)
  }
})

test('reading verbs leave every byte and time of a store', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id } = await project.call('handoff_create', { ...SMALL, artifacts: [{ path: 'README.md' }] })
  const other = await project.call('handoff_branch', { id, relation: 'fork', branch_label: 'x' })
  const folder = join(project.root, '.handoffs/records')
  const snapshot = () =>
    readdirSync(folder).map((name) => [
      name,
      statSync(join(folder, name)).mtimeMs,
      readFileSync(join(folder, name), 'utf8'),
    ])
  const before = snapshot()

  const calls: readonly [string, Record<string, unknown>][] = [
    ['handoff_validate', { id }],
    ['handoff_get', { id }],
    ['handoff_get', { id, format: 'md' }],
    ['handoff_list', { query: 'callback' }],
    ['handoff_diff', { a: id, b: other.id }],
    ['handoff_lineage', {}],
    ['handoff_freshness', { id }],
    ['handoff_check_plan', { id, plan: 'x' }],
    ['handoff_export', { id }],
    ['handoff_detect', { context: 0.9 }],
    ['handoff_doctor', {}],
    ['handoff_redact', { id }],
    ['handoff_merge', { ids: [id, other.id] }],
  ]
  for (const [tool, input] of calls) {
    await project.call(tool, input)
    assert.deepEqual(snapshot(), before, tool)
  }

  const empty = await openTestProject(t, { repository: true })
  for (const [tool, input] of calls) {
    await empty.call(tool, input).catch((thrown) => assert.equal(thrown.code, 'not_found', tool))
  }
  assert.equal(existsSync(join(empty.root, '.handoffs')), false)
})
