import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openHost, type TestHost, temporaryFolder } from '../../../test/harness/index.ts'
import { fenceShare, givenTo, readerPages, tokensOf } from '../../../test/harness/reader-pages.ts'
import { plugin } from '../index.ts'
import { buildRemote } from '../testing/build-remote.ts'
import { configOf, writeManyRecords } from '../testing/many-records.ts'
import { ingested, openStage } from '../testing/network-project.ts'
import { OWN_IDS, OWN_QUERIES } from '../testing/own-corpus.ts'

const CHANNELS = ['text', 'data'] as const
const BOUND = 4000
/** The largest part of an answer that the marks of fences may take. */
const FENCE_SHARE_MAX = 0.04

/** The modules that ship with satchel, as an ingest leaves them. */
async function openCorpus(t: TestContext): Promise<TestHost> {
  const projectRoot = await temporaryFolder(t)
  await writeManyRecords(projectRoot, OWN_IDS.length, 2)
  return openHost(t, { plugins: [{ plugin, settings: configOf(projectRoot) }], projectRoot })
}

interface Stored {
  readonly variables: readonly { name: string; type: string; description: string; required: boolean }[]
  readonly outputs: readonly { name: string }[]
  readonly providers: readonly { name: string; source: string }[]
}

for (const channel of CHANNELS) {
  test(`a reader of ${channel} alone gets ten results of every search in one answer, with little fence`, async (t) => {
    const opened = await openCorpus(t)
    const sizes: number[] = []
    let share = 0

    for (const { query } of OWN_QUERIES) {
      for (const tool of ['search_modules', 'search_modules_vector']) {
        const pages = await readerPages(opened, tool, { query }, channel)
        const results = (await opened.call(tool, { query }))['results'] as { id: string }[]
        const given = pages.map((page) => givenTo(channel, page)).join('\n')
        sizes.push(tokensOf(given))
        share = Math.max(share, results.length === 0 ? 0 : fenceShare(given))
        assert.equal(pages.length, 1, `${tool} ${query}`)
        for (const { id } of results) assert.ok(given.includes(id), `${tool} ${query}`)
      }
    }

    sizes.sort((a, b) => a - b)
    const median = sizes[Math.floor(sizes.length / 2)] ?? 0
    const largest = Math.max(...sizes)
    t.diagnostic(`${median} tokens median, ${largest} largest, fences ${(share * 100).toFixed(1)} % at most`)
    assert.ok(largest <= BOUND)
    assert.ok(share <= FENCE_SHARE_MAX, `${share}`)
  })

  test(`a reader of ${channel} alone gets all of every module, required inputs on the first page`, async (t) => {
    const opened = await openCorpus(t)
    const { results } = (await opened.call('search_modules', { limit: 50 })) as { results: { id: string }[] }

    for (const { id } of results) {
      const stored = (await opened.call('get_module', { id, detail: 'full' }))['module'] as unknown as Stored
      const [first, ...more] = await readerPages(opened, 'get_module', { id }, channel)
      assert.ok(first)
      const start = givenTo(channel, first)
      const all = [first, ...more].map((page) => givenTo(channel, page)).join('\n')
      for (const { name, type, description } of stored.variables.filter(({ required }) => required))
        for (const said of [name, type, description]) assert.ok(start.includes(said), `${name}: ${said}`)
      for (const { name } of [...stored.outputs, ...stored.providers]) assert.ok(all.includes(name), name)
    }
  })

  test(`a reader of ${channel} alone gets all outputs of a large module on the first page, and every page is small`, async (t) => {
    const { opened, root } = await openStage(t)
    const words = 'what the module gives '.repeat(8)
    const outputs = Array.from({ length: 120 }, (_, at) => `output_${at}_of_the_module`)
    const inputs = Array.from({ length: 300 }, (_, at) => `input_${at}`)
    const outputsText = outputs.map(
      (name) => `output "${name}" {\n  description = "${words}"\n  value = 1\n}`,
    )
    const inputsText = inputs.map((name, at) => {
      const stated = at > 290 ? '' : '  default = null\n'
      return `variable "${name}" {\n  type = string\n  description = "${words}"\n${stated}}`
    })
    const files = { 'main.tf': inputsText.join('\n'), 'outputs.tf': outputsText.join('\n') }
    const url = await buildRemote(join(root, 'large.git'), [{ files, tags: ['v1.0.0'] }])
    await opened.call('ingest_modules', { repositories: [{ url }] })

    const compact = await readerPages(opened, 'get_module', { repository: 'large' }, channel)
    const full = await readerPages(opened, 'get_module', { repository: 'large', detail: 'full' }, channel)

    const [start = '', ...more] = compact.map((page) => givenTo(channel, page))
    for (const name of [...outputs, ...inputs.slice(291)]) assert.ok(start.includes(name), name)
    for (const name of inputs) assert.ok([start, ...more].join('\n').includes(name), name)
    for (const page of [...compact, ...full]) assert.ok(tokensOf(givenTo(channel, page)) <= BOUND)
  })

  test(`a reader of ${channel} alone sees where a description of 300 KB is cut, and can read it whole`, async (t) => {
    const { opened, root } = await openStage(t)
    const words = Array.from({ length: 50_000 }, (_, at) => `w${at}`)
      .join(' ')
      .slice(0, 300_000)
    const hcl = `variable "long" {\n  type = string\n  description = "${words}"\n}\nvariable "short" {\n  default = "d"\n}\n`
    const url = await buildRemote(join(root, 'long.git'), [{ files: { 'main.tf': hcl }, tags: ['v1.0.0'] }])
    await opened.call('ingest_modules', { repositories: [{ url }] })

    const [compact, ...rest] = await readerPages(opened, 'get_module', { repository: 'long' }, channel)
    const whole = await readerPages(
      opened,
      'get_module',
      { repository: 'long', fields: ['variables'] },
      channel,
    )

    assert.ok(compact)
    assert.equal(rest.length, 0)
    assert.match(givenTo(channel, compact), /\[\+\d+ characters\]/)
    assert.match(givenTo(channel, compact), /marks a text that is cut; fields/)
    const last = words.split(' ').at(-1) ?? ''
    assert.ok(givenTo(channel, whole.at(-1) ?? compact).includes(last))
    for (const page of whole) assert.ok(tokensOf(givenTo(channel, page)) <= BOUND)
  })

  test(`a reader of ${channel} alone learns what a check found, where, and against which version`, async (t) => {
    const { opened, network } = await ingested(t)
    const hcl = `module "n" {\n  source = "git::${network}?ref=v2.0.0"\n  cidr   = "10.0.0.0/16"\n  enable_nt = true\n}\n`

    const [page] = await readerPages(opened, 'module_check', { hcl }, channel)

    const given = page ? givenTo(channel, page) : ''
    assert.match(given, /required input \W{0,3}name\W/)
    assert.match(given, /no input \W{0,3}enable_nt\W/)
    assert.match(given, /line\W{0,4}4\b/)
    assert.match(given, /ref\W{0,4}v2\.0\.0/)
    assert.match(given, /enable_nat\b/)
  })
}

test('a module with hundreds of inputs is read in pages that lose nothing, from the text or the data alone', async (t) => {
  const { opened } = await ingested(t)
  const repository = 'terraform-azurerm-store'

  for (const channel of CHANNELS) {
    for (const detail of ['compact', 'full']) {
      const pages = await readerPages(opened, 'get_module', { repository, detail }, channel)
      const given = pages.map((page) => givenTo(channel, page))
      const all = given.join('\n')
      assert.ok(pages.length > 1)
      for (const page of given) assert.ok(tokensOf(page) <= BOUND)
      for (let at = 0; at < 300; at++) assert.match(all, new RegExp(`setting_${at}\\b`), `${detail} ${at}`)
      const next = channel === 'text' ? /Continue with get_module/ : /"next":\{"tool":"get_module"/
      assert.match(given[0] ?? '', next)
    }
  }
})
