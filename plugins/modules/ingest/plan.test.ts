import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RepositoryEntry, repositoryEntry } from '../config.ts'
import { repositoryKey } from '../domain/module-source.ts'
import { planRepositories, respelledWarnings } from './plan.ts'

const PLANNING = { recursive: false, workingDirectory: '/work', parserVersion: '1' }

function clonesOf(urls: readonly string[]): readonly (readonly [string, number])[] {
  const entries: RepositoryEntry[] = urls.map((url) => repositoryEntry.parse({ url }))
  const { repositories, failures } = planRepositories(entries, PLANNING)
  assert.deepEqual(failures, [])
  return repositories.map(({ remote, entries: { length } }) => [remote.url, length])
}

const SPELLINGS = [
  ['https://github.com/acme/net', 'git@github.com:Acme/net.git', 'ssh://git@github.com/acme/NET/'],
  [
    'https://git.example.com/acme/Net.git',
    'git@git.example.com:acme/Net',
    'https://git.example.com:443/acme/Net',
  ],
  ['https://git.example.com/scm/plat/net.git', 'ssh://git@git.example.com:7999/plat/net'],
  ['https://dev.azure.com/acme/p/_git/net', 'git@ssh.dev.azure.com:v3/acme/p/net'],
  ['/srv/Net', 'file:///srv/Net', '../srv/Net/'],
]

test('the spellings of one repository are one clone, by the URL of the first', () => {
  for (const urls of SPELLINGS) assert.deepEqual(clonesOf(urls), [[urls[0], urls.length]])
})

test('what a server may tell apart is not one clone', () => {
  const rows = [
    ['https://git.example.com/acme/net', 'https://git.example.com/Acme/net'],
    ['https://git.example.com/acme/net', 'https://git.example.com:8443/acme/net'],
    ['ann@git.example.com:net', 'bob@git.example.com:net'],
    ['/srv/net', '/srv/net.git'],
    ['/srv/net', '/srv/Net'],
    ['http://git.example.com/acme/net', 'https://git.example.com/acme/net'],
    ['git.example.com/acme/net/aws', 'https://git.example.com/acme/net/aws'], // a registry on the same host
  ]

  for (const urls of rows) assert.equal(clonesOf(urls).length, urls.length, urls.join(' '))
})

test('every other spelling of a planned repository is told, and no other repository', () => {
  const all = ['acme/net/aws', '/srv/my%20net', 'file:///srv/my%2520net', ...SPELLINGS.flat()]
  for (const url of all) {
    const plan = planRepositories([repositoryEntry.parse({ url })], PLANNING)
    const planned = plan.repositories[0]?.remote.url ?? ''
    const others = all.filter((other) => other !== planned)
    const wanted = others.filter((other) => repositoryKey(other) === repositoryKey(planned))
    assert.equal(respelledWarnings(plan, others).length, wanted.length, url)
  }
})
