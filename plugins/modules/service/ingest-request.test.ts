import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openStage, type Rows } from '../testing/network-project.ts'

test('a dry run says what would be read and writes nothing', async (t) => {
  const { opened, root } = await openStage(t)

  const report = await opened.call('ingest_modules', { dry_run: true })

  assert.deepEqual((report['planned'] as Rows).map(({ ref }) => ref).sort(), ['1.0', 'v1.0.0', 'v2.0.0'])
  assert.ok(!(await readdir(root)).includes('output'))
  assert.ok(!(await readdir(root)).includes('repos'))
})

test('the answer of an ingest request holds the summaries; an analysis leaves nothing behind', async (t) => {
  const { opened, root } = await openStage(t)
  const repositories = [{ url: './terraform-aws-network.git', max_tags: 1 }]

  const answer = await opened.call('ingest_repositories', { repositories, recursive: true })
  const yaml = await opened.call('ingest_from_yaml', {
    yaml: `repositories:\n  - url: ./terraform-aws-network.git\noutput_dir: ./elsewhere\n`,
  })
  const before = (await readdir(root)).sort()
  const analysis = await opened.call('analyze_repository', { repository_url: './terraform-aws-network.git' })

  assert.equal(answer['count'], 3)
  assert.deepEqual(
    (answer['summaries'] as Rows).map(({ path }) => path),
    ['.', 'examples/simple', 'modules/peering'],
  )
  assert.equal(yaml['count'], 1)
  assert.ok((await readdir(join(root, 'elsewhere'))).includes('terraform-aws-network_v2.0.0.json'))
  assert.deepEqual(
    (analysis['summaries'] as Rows).map(({ ref, path }) => `${ref} ${path}`),
    ['main .'],
  )
  assert.deepEqual((await readdir(root)).sort(), before)
  await assert.rejects(opened.call('analyze_repository', { repository_url: './nothing.git' }), {
    code: 'not_found',
    reason: 'repository_not_found',
  })
})

test('a configuration as text is refused with the line of what is wrong', async (t) => {
  const { opened } = await openStage(t)
  const bombs = Array.from(
    { length: 12 },
    (_, at) => `a${at}: &a${at} [${`*a${at - 1},`.repeat(at === 0 ? 0 : 9)} x]`,
  )
  const cases: [string, number | undefined, RegExp?][] = [
    ['repositories:\n  - url: ./x\n    branchs: [main]\n', 3, /mean "branches"/],
    ['repositories:\n  - urll: ./x\n', 2, /mean "url"/],
    ['repositorys: []\n', 1, /mean "repositories"/],
    ['repositories: []\nrecursive: true\n', 2, /belongs to an entry of repositories/],
    ['mcp:\n  output_dir: x\n', 2, /belongs to the top level/],
    ['repositories: []\nembedding:\n  keyword_weight: 2\n', 3],
    ['repositories: !!js/function "x"\n', 1],
    ['output_dir: a\noutput_dir: b\n', 2],
    ['repositories:\n  - url: [\n', undefined],
    [`${bombs.join('\n')}\n`, undefined],
    ['- a list\n', 1],
    ['"a string"', 1],
  ]

  for (const [yaml, line, hint = /./] of cases) {
    await assert.rejects(
      opened.call('ingest_from_yaml', { yaml }),
      (error: { code: string; reason: string; message: string; details?: { line?: number } }) => {
        assert.deepEqual([error.code, error.reason], ['invalid', 'config_invalid'], yaml.slice(0, 40))
        if (line !== undefined) assert.equal(error.details?.line, line, yaml)
        assert.match(error.message, hint)
        return true
      },
    )
  }
})
