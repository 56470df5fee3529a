import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type IndexRecord, type ModuleIndex, moduleId } from '../output/module-index.ts'
import { findModule, findRepository } from './find.ts'

function record(repository: string, name: string): IndexRecord {
  const counts = { variables: 0, required: 0, outputs: 0, resources: 0 }
  return {
    id: moduleId(repository, 'v1.0.0', '.'),
    ...{ repository, name, ref: 'v1.0.0', ref_kind: 'tag', path: '.', kind: 'root', commit: '', counts },
    ...{ options_digest: '', summary_file: '', summary_sha256: '', last_updated: '', embedded: false },
    ...{ description: '', provider: 'aws', providers: [], tags: [] },
  }
}

function indexOf(...records: IndexRecord[]): ModuleIndex {
  const state = { finished_at: null, repositories: [], leftovers: [], stale_vectors: [], had_vectors: false }
  return { format: 1, parser_version: '', records, ...state }
}

test('a repository is found by URL, owner and name, or name, and by its whole URL even if others share its name', () => {
  const urls = [
    'https://h/acme/net',
    'https://h/acme/net.git',
    '/srv/NET',
    '/srv/net',
    'https://h/acme/other',
  ]
  const index = indexOf(...urls.map((url) => record(url, url.includes('other') ? 'other' : 'net')))

  for (const url of urls) {
    assert.equal(findRepository(index, url), url)
    assert.equal(findModule(index, { repository: url }).repository, url)
  }
  for (const named of ['https://h/acme/other.git', 'acme/other', 'Other']) {
    assert.equal(findRepository(index, named), 'https://h/acme/other')
  }
  assert.throws(() => findRepository(index, 'net'), { reason: 'id_ambiguous', message: /Give the URL/ })
  assert.throws(() => findRepository(index, 'othr'), {
    reason: 'module_not_found',
    message: /Nearest: other/,
  })
})

test('a ref without a module at its root names the directories that have one', () => {
  const url = 'https://h/acme/net'
  const at = (id: string, rest: Partial<IndexRecord>): IndexRecord => ({ ...record(url, 'net'), id, ...rest })
  const index = indexOf(
    at('a', { ref: 'v2.0.0' }),
    at('b', { path: 'examples/all', kind: 'example' }),
    at('c', { path: 'modules/vpc', kind: 'submodule' }),
    at('d', { path: 'dns', kind: 'submodule' }),
    at('e', { path: 'modules/vpc/deep', kind: 'submodule' }),
  )

  assert.throws(() => findModule(index, { repository: url, ref: 'v1.0.0' }), {
    reason: 'module_not_found',
    message: /no module at \. in v1\.0\.0\. It has dns, modules\/vpc, modules\/vpc\/deep, and 1 more\./,
  })
})
