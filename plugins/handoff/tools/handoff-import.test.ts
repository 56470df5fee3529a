import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Handoff } from '../domain/record.ts'
import { openTestProject, SMALL, type TestProject } from '../testing/fixture.ts'
import { VALID } from '../testing/handoff-cases.ts'

const LEGACY = 'https://threadline.dev/schemas/handoff/v0.1.json'
const idOf = (n: number) => `0198c0de-0000-7000-8000-${String(n).padStart(12, '0')}`
const secret = `ghp_${'a1B2'.repeat(9)}`

function recordText(n: number, change: Partial<Handoff> = {}): string {
  return `${JSON.stringify({ ...VALID, id: idOf(n), ...change }, null, 2)}\n`
}

const outcomes = (answer: { results: { outcome: string; reason?: string }[] }) =>
  answer.results.map(({ outcome, reason }) => (reason ? `${outcome} ${reason}` : outcome))

/** Texts that try to break out of the block that carries them. */
const ODD_TEXTS = [
  recordText(1),
  recordText(1).trimEnd(),
  recordText(1).replaceAll('\n', '\r\n'),
  recordText(1, { summary: { ...VALID.summary, current_state: '```\n~~~~\n`````json handoff\n{}\n`````' } }),
  recordText(1, {
    work: { ...VALID.work, title: '```json handoff', objective: '~~~json handoff\n{"kind":"x"}\n~~~' },
  }),
  recordText(1, { work: { ...VALID.work, objective: '<!-- satchel:record sha256=00 newline=0 -->' } }),
  recordText(1, { summary: { ...VALID.summary, current_state: '𝒳 four bytes 🎉 \u0000 \u2028' } }),
  JSON.stringify({ ...VALID, id: idOf(1) }),
  recordText(1).replace(
    '"kind"',
    '"10": 1.0, "2": 12345678901234567890, "__proto__": {"a": -0}, "constructor": 1e400,\n\t"kind"',
  ),
  `\uFEFF${recordText(1)}`,
]

for (const [index, text] of ODD_TEXTS.entries()) {
  test(`export as Markdown and import give the same bytes (${index + 1})`, async (t) => {
    const from = await openTestProject(t)
    const to = await openTestProject(t)
    from.write(`.handoffs/records/${idOf(1)}.json`, text)

    const { content, sha256 } = await from.call('handoff_export', { id: idOf(1) })
    const answer = await to.call('handoff_import', { content })

    assert.deepEqual(outcomes(answer), ['imported'])
    assert.deepEqual(answer.warnings, [])
    assert.equal(to.read(`.handoffs/records/${idOf(1)}.json`), text)
    assert.equal(sha256.length, 64)
    const verdict = await from.call('handoff_validate', { markdown: content, level: 'schema' })
    assert.equal(verdict.schema_valid, true)
    const json = await from.call('handoff_export', { id: idOf(1), format: 'json' })
    assert.equal(json.content, text)
  })
}

test('what no call changes keeps its bytes from import over transition and update to export', async (t) => {
  const project = await openTestProject(t)
  const odd =
    '  "10": 1.0,\r\n\t"2": [12345678901234567890, -0, 1e400],\r\n  "__proto__": {"x": 1, "10": 1.50},\r\n  "constructor": "c",\r\n'
  const inside = '"own":\t{"10": 1.0, "2": -0, "__proto__": null},  "title"'
  const text = recordText(1, { $schema: LEGACY, status: 'draft' })
    .replaceAll('\n', '\r\n')
    .replace('{\r\n', `{\r\n${odd}`)
    .replace('"title"', inside)
  const path = `.handoffs/records/${idOf(1)}.json`
  const etag = async () => (await project.call('handoff_get', { id: idOf(1), max_tokens: 100_000 })).etag

  await project.call('handoff_import', { content: text })
  assert.equal(project.read(path), text)
  await project.call('handoff_transition', { id: idOf(1), to: 'validated' }).catch(() => undefined)
  const patch = [{ op: 'replace', path: '/summary/current_state', value: 'Another state.' }]
  await project.call('handoff_update', { id: idOf(1), if_match: await etag(), patch })
  await project.call('handoff_redact', { id: idOf(1), fields: ['/work/objective'], apply: true })
  await project.call('handoff_transition', { id: idOf(1), to: 'archived' })
  const json = await project.call('handoff_export', { id: idOf(1), format: 'json' })
  const markdown = await project.call('handoff_export', { id: idOf(1), format: 'md' })

  assert.equal(json.content, project.read(path))
  const kept = (record: string) => {
    const touched =
      /^ {2}"(?:status|flags|updated_at|validation|redactions)": (?:[^\r\n{[]*|[{[]\r\n[\s\S]*?\r\n {2}[}\]]|\[\]|\{\}),?\r\n/gm
    return record
      .replace(/,\r\n {2}"x_satchel": [\s\S]*(?=\r\n\}\r\n$)/, '')
      .replace(touched, '')
      .replace(/"(?:current_state|objective)": "[^"]*"/g, '')
      .replace(/,(?=\r\n\})/, '')
  }
  assert.equal(kept(json.content), kept(text))
  assert.ok(json.content.includes(odd) && json.content.includes(inside))
  assert.match(json.content, /"\$schema": "https:\/\/threadline\.dev/)
  const to = await openTestProject(t)
  await to.call('handoff_import', { content: markdown.content })
  assert.equal(to.read(path), json.content)
  assert.equal(({} as Record<string, unknown>)['x'], undefined)
})

test('a changed block is imported with a warning, two blocks are not', async (t) => {
  const from = await openTestProject(t)
  from.write(`.handoffs/records/${idOf(1)}.json`, recordText(1))
  const { content } = await from.call('handoff_export', { id: idOf(1) })
  const to = await openTestProject(t)

  const changed = await to.call('handoff_import', {
    content: content.replace('"One fixture remains."', '"None remains."'),
  })
  const twofold = await to.call('handoff_import', { content: content + content, on_conflict: 'keep' })

  assert.deepEqual(outcomes(changed), ['imported'])
  assert.equal(changed.warnings.length, 1)
  assert.equal(
    JSON.parse(to.read(`.handoffs/records/${idOf(1)}.json`)).summary.current_state,
    'None remains.',
  )
  assert.deepEqual(outcomes(twofold), ['broken ambiguous_markdown'])
})

for (const folder of ['.baton/handoffs', '.threadline/handoffs']) {
  test(`a ${folder} folder comes in with bytes, status and schema id; again all is the same`, async (t) => {
    const project = await openTestProject(t)
    const texts = [1, 2, 3].map((n) =>
      recordText(n, { status: 'superseded', $schema: LEGACY }).replace('\n', '\n\t'),
    )
    mkdirSync(join(project.root, folder), { recursive: true })
    for (const [n, text] of texts.entries())
      project.write(`${folder}/20260902T143000Z--0198c0d${n}.json`, text)
    project.write(`${folder}/20260902T143000Z--deadbeef.json`, '{"kind": "handoff",\n  oops')
    project.write(
      `${folder}/20260902T143000Z--feedbeef.json`,
      recordText(9, { summary: { ...VALID.summary, current_state: `key ${secret}` } }),
    )

    const first = await project.call('handoff_import', { path: folder })
    const again = await project.call('handoff_import', { path: folder })
    const redacted = await project.call('handoff_import', { path: folder, secrets: 'redact' })

    assert.deepEqual(outcomes(first), [
      'imported',
      'imported',
      'imported',
      'broken bad_json',
      'broken secret_found',
    ])
    assert.match(first.results[3].detail, /line 2, column 3/)
    assert.deepEqual(outcomes(again), ['same', 'same', 'same', 'broken bad_json', 'broken secret_found'])
    assert.deepEqual(outcomes(redacted), ['same', 'same', 'same', 'broken bad_json', 'imported'])
    for (const [n, text] of texts.entries())
      assert.equal(project.read(`.handoffs/records/${idOf(n + 1)}.json`), text)
    const clean = JSON.parse(project.read(`.handoffs/records/${idOf(9)}.json`))
    assert.equal(clean.summary.current_state, 'key [REDACTED]')
    assert.equal(clean.redactions.at(-1).field, '/summary/current_state')
  })
}

test('another text under a known id is a conflict, kept, or comes in under a new id with its references', async (t) => {
  const project = await openTestProject(t)
  project.write(`.handoffs/records/${idOf(1)}.json`, recordText(1))
  const other = recordText(1, { work: { ...VALID.work, title: 'Another' } })
  const child = recordText(2, {
    lineage: { parents: [idOf(1)], relation: 'continue', branch_label: null, merge_basis: [] },
  })
  const bundle = [other, child].map((text) => JSON.stringify(JSON.parse(text))).join('\n')

  assert.deepEqual(outcomes(await project.call('handoff_import', { content: other })), ['conflict exists'])
  assert.deepEqual(outcomes(await project.call('handoff_import', { content: other, on_conflict: 'keep' })), [
    'kept exists',
  ])
  const dry = await project.call('handoff_import', { content: bundle, on_conflict: 'new_id', dry_run: true })
  assert.deepEqual(outcomes(dry), ['imported', 'imported'])
  assert.equal(readdirSync(join(project.root, '.handoffs/records')).length, 1)
  const { results } = await project.call('handoff_import', { content: bundle, on_conflict: 'new_id' })

  const copy = JSON.parse(project.read(`.handoffs/records/${results[0].id}.json`))
  assert.deepEqual([copy.work.title, copy.flags], ['Another', ['conflicted']])
  assert.deepEqual(JSON.parse(project.read(`.handoffs/records/${idOf(2)}.json`)).lineage.parents, [copy.id])
})

test('references follow a record that comes in under a new id after its child', async (t) => {
  const project = await openTestProject(t)
  project.write(`.handoffs/records/${idOf(2)}.json`, recordText(2))
  const other = recordText(2, { work: { ...VALID.work, title: 'Another' } })
  const child = recordText(1, {
    lineage: { parents: [idOf(2)], relation: 'continue', branch_label: null, merge_basis: [] },
  })
  const content = [child, other].map((text) => JSON.stringify(JSON.parse(text))).join('\n')

  const { results } = await project.call('handoff_import', { content, on_conflict: 'new_id' })

  assert.equal(results[0].id, idOf(1), 'results are in the order of the bundle')
  const stored = JSON.parse(project.read(`.handoffs/records/${idOf(1)}.json`))
  assert.deepEqual(stored.lineage.parents, [results[1].id])
})

test('a bundle holds one compact record per line, parents first, and loses no number', async (t) => {
  const project = await openTestProject(t)
  const lineage: Omit<Handoff['lineage'], 'parents'> = {
    relation: 'continue',
    branch_label: null,
    merge_basis: [],
  }
  project.write(
    `.handoffs/records/${idOf(1)}.json`,
    recordText(1, { lineage: { ...lineage, parents: [idOf(2)] } }),
  )
  project.write(`.handoffs/records/${idOf(2)}.json`, recordText(2).replace('"kind"', '"n": 1.50,  "kind"'))

  const { content } = await project.call('handoff_export', { ids: [idOf(1), idOf(2), idOf(1)] })

  const lines = content.trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line: string) => JSON.parse(line).id),
    [idOf(2), idOf(1)],
  )
  assert.ok(lines[0].includes('"n":1.50,'))
  const to = await openTestProject(t)
  assert.deepEqual(outcomes(await to.call('handoff_import', { content })), ['imported', 'imported'])
  await assert.rejects(project.call('handoff_export', { ids: Array(1001).fill(idOf(1)) }), {
    reason: 'bundle_too_large',
  })
})

test('what is not a record is broken, with reason and place, and never written', async (t) => {
  const project = await openTestProject(t)
  writeFileSync(join(project.root, 'latin.json'), Buffer.from([0x7b, 0xff, 0x7d]))
  const broken = [
    [{ content: '[1, 2]' }, 'broken schema_invalid'],
    [{ content: '{"kind": "handoff"}' }, 'broken schema_invalid'],
    [{ content: '{"kind":' }, 'broken bad_json'],
    [{ content: '' }, 'broken bad_json'],
    [{ content: '\uFEFF \r\n' }, 'broken bad_json'],
    [{ content: `{"a":${'['.repeat(70)}${']'.repeat(70)}}` }, 'broken too_deep'],
    [{ content: '<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> theirs\n' }, 'broken bad_json'],
    [{ path: 'latin.json' }, 'broken not_utf8'],
    [
      { content: recordText(1, { work: { ...VALID.work, title: 'x'.repeat(1024 * 1024) } }) },
      'broken record_too_large',
    ],
  ] as const
  for (const [input, expected] of broken) {
    assert.deepEqual(outcomes(await project.call('handoff_import', input)), [expected])
  }
  await assert.rejects(project.call('handoff_import', { path: '../elsewhere' }), { reason: 'path_refused' })
  await assert.rejects(project.call('handoff_import', { path: 'none.json' }), { reason: 'file_not_found' })
  await assert.rejects(project.call('handoff_import', {}), { reason: 'invalid_arguments' })
  assert.equal(
    project.files().some((path) => path.includes('records')),
    false,
  )
})

test('a hand-written file that is imported again is the draft it became', async (t) => {
  const project = await openTestProject(t)
  const content = '# Fix the callback\n\n## Next\n- Add a fixture\n'

  const dry = await project.call('handoff_import', { content, dry_run: true })
  const first = await project.call('handoff_import', { content })
  const again = await project.call('handoff_import', { content })
  const dryAgain = await project.call('handoff_import', { content, dry_run: true })
  const other = await project.call('handoff_import', { content: `${content}- Run the suite\n` })

  assert.deepEqual([dry, first, again, dryAgain, other].map(outcomes), [
    ['imported'],
    ['imported'],
    ['same'],
    ['same'],
    ['imported'],
  ])
  assert.equal(again.results[0].id, first.results[0].id)
  assert.equal(project.files().filter((path) => /records\/.*json$/.test(path)).length, 2)
})

test('text that is in no field is told at the import, and the brief has it', async (t) => {
  const project = await openTestProject(t)
  const content = '# Fix the callback\n\n## Zebra\nStripes.\n\n## Next\n- Add a fixture\n'

  const { results, warnings } = await project.call('handoff_import', { content })
  const { brief } = await project.call('handoff_resume', { id: results[0].id })

  assert.deepEqual(warnings, [
    'content: 2 lines match no field; x_satchel.unmapped of the draft has the text',
  ])
  assert.match(brief, /Further text of the imported file:\n- ## Zebra\n {4}Stripes\./)
})

test('every line of a hand-written file is in a field or among the unmapped', async (t) => {
  const project = await openTestProject(t)
  const text = [
    '# Fix the callback',
    'Some words before any heading.',
    '## Goal',
    'Reject replayed states.',
    '## Status',
    'One fixture left.',
    '## Done',
    '- [x] helper written',
    '## In progress',
    '* fixture',
    '## Next steps',
    '1. write the fixture',
    '   with two callbacks',
    '2. run the suite',
    '## Decisions',
    '- constant time',
    '## Dead ends',
    '- cookie',
    '## Constraints',
    '- keep the URL',
    '## Risks',
    '- provider changes',
    '## Files',
    '- `src/a.ts` - entry point',
    '## Shopping list',
    '- milk',
    'and bread',
  ]
  const { results } = await project.call('handoff_import', { content: text.join('\n') })

  const stored = project.read(`.handoffs/records/${results[0].id}.json`)
  const record = JSON.parse(stored)
  assert.equal(record.status, 'draft')
  assert.equal(record.work.title, 'Fix the callback')
  assert.deepEqual(
    record.open_items.map((item: { priority: string }) => item.priority),
    ['high', 'medium'],
  )
  assert.equal(record.failed_attempts[0].avoid_repeating, true)
  assert.deepEqual(
    record.artifacts.map(({ path, description }: Handoff['artifacts'][number]) => [path, description]),
    [['src/a.ts', 'entry point']],
  )
  for (const line of text) {
    const words = line
      .replace(/^(?:#+|[-*]|\d\.)?\s*(?:\[x\])?\s*/, '')
      .replace(/`/g, '')
      .split(' - ')
    const isHeading = line.startsWith('## ') && !line.includes('Shopping')
    if (!isHeading) for (const part of words) assert.ok(stored.includes(part.trim()), line)
  }
  assert.match(record.x_satchel.unmapped, /Shopping list\n- milk\nand bread/)
})

async function dirty(project: TestProject): Promise<string> {
  const { id, path } = await project.call('handoff_create', { ...SMALL, completed: ['x'] })
  project.write(
    path,
    project
      .read(path)
      .replace('"x"', JSON.stringify(`token ${secret}`))
      .replace('"kind"', `"k ${secret}": {"${secret}": 1},\n  "kind"`),
  )
  return id
}

test('redact finds, and removes from the stored record only what is a secret', async (t) => {
  const project = await openTestProject(t)
  const id = await dirty(project)
  const path = `.handoffs/records/${id}.json`
  const before = project.read(path)

  const found = await project.call('handoff_redact', { id })
  assert.equal(found.applied, false)
  assert.equal(project.read(path), before)
  assert.ok(!JSON.stringify(found).includes(secret.slice(4)))
  const applied = await project.call('handoff_redact', { id, apply: true, fields: ['/work/objective'] })

  const after = project.read(path)
  assert.equal(applied.applied, true)
  assert.ok(!after.includes(secret))
  const record = JSON.parse(after)
  assert.deepEqual(record.summary.completed, ['token [REDACTED]'])
  assert.equal(record.work.objective, '[REDACTED]')
  assert.deepEqual(record.redacted_key_1, { redacted_key_2: 1 })
  const clean = await project.call('handoff_validate', { id })
  const byName = new Map(
    clean.validation.checks.map(({ name, status }: { name: string; status: string }) => [name, status]),
  )
  assert.equal(byName.get('secrets'), 'pass')
  assert.equal(byName.get('redactions'), 'pass')
  await assert.rejects(project.call('handoff_redact', { id, fields: ['/nothing'] }), {
    reason: 'pointer_not_found',
  })
})

test('what a record must have is not redacted, and the record stays', async (t) => {
  const project = await openTestProject(t)
  const id = await dirty(project)
  const path = `.handoffs/records/${id}.json`
  const before = project.read(path)

  for (const field of ['/id', '/status', '/$schema', '/kind'])
    await assert.rejects(project.call('handoff_redact', { id, apply: true, fields: [field] }), {
      code: 'invalid',
      reason: 'schema_invalid',
    })

  assert.equal(project.read(path), before)
})

test('a released record is redacted only with a reason, which its history keeps', async (t) => {
  const project = await openTestProject(t)
  const id = await dirty(project)
  const path = `.handoffs/records/${id}.json`
  project.write(path, project.read(path).replace('"status": "draft"', '"status": "ready"'))

  await assert.rejects(project.call('handoff_redact', { id, apply: true }), {
    code: 'conflict',
    reason: 'immutable',
  })
  await project.call('handoff_redact', { id, apply: true, force_reason: `${secret} leaked` })

  const record = JSON.parse(project.read(path))
  assert.equal(record.status, 'ready')
  assert.equal(record.x_satchel.history.at(-1).reason, '[REDACTED] leaked')
  assert.ok(!project.read(path).includes(secret))
})

test('a text and a record that is not stored are redacted in the answer alone', async (t) => {
  const project = await openTestProject(t)

  const text = await project.call('handoff_redact', { text: `x ${secret} y` })
  const record = await project.call('handoff_redact', {
    record: JSON.stringify({ ...VALID, login: { password: 'Corr3ct-Horse-Battery' } }),
  })

  assert.equal(text.text, 'x [REDACTED] y')
  assert.equal(record.record.login.password, '[REDACTED]')
  assert.deepEqual(project.files(), [])
})

test('a bundle of more than 1,000 records is refused and nothing is written', async (t) => {
  const project = await openTestProject(t)

  const content = '{}\n'.repeat(1001)
  await assert.rejects(project.call('handoff_import', { content }), {
    code: 'too_large',
    reason: 'bundle_too_large',
  })

  assert.deepEqual(project.files(), [])
})

test('a record that comes in under a new id keeps its flags', async (t) => {
  const project = await openTestProject(t)
  const record: Handoff = { ...VALID, status: 'draft', flags: ['invalid'] }
  await project.call('handoff_import', { content: JSON.stringify(record) })

  const other = JSON.stringify({ ...record, work: { ...record.work, title: 'Another title' } })
  const { results } = await project.call('handoff_import', { content: other, on_conflict: 'new_id' })

  const stored = JSON.parse(project.read(`.handoffs/records/${results[0].id}.json`))
  assert.deepEqual(stored.flags, ['invalid', 'conflicted'])
})

test('a folder without records says so, and names what is taken', async (t) => {
  const project = await openTestProject(t)
  mkdirSync(join(project.root, '.baton/handoffs'), { recursive: true })
  project.write('.baton/handoffs/one.json', recordText(1))

  const answer = await project.call('handoff_import', { path: '.baton' })

  assert.deepEqual(answer.results, [])
  assert.deepEqual(answer.warnings, [
    '".baton" has no file that ends in .json, .jsonl or .md; folders in it are not looked into. Nothing was imported.',
  ])
})
