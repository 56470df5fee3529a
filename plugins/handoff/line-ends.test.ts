import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { temporaryFolderSync } from '../../test/harness/temporary-folder.ts'
import { createLineEndHash } from './domain/line-ends.ts'
import { type Answer, openTestProject, SMALL } from './testing/fixture.ts'

const of = (bytes: string | Uint8Array): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`

/** A record about `file` with this content: an artifact, evidence of the file, and of a test that made it. */
async function recordOf(t: TestContext, file: string, content: string | Uint8Array) {
  const project = await openTestProject(t, { repository: true })
  project.write(file, content)
  project.git('add', '--', file)
  project.git('commit', '-q', '-m', file)
  const { id } = await project.call('handoff_create', {
    ...SMALL,
    scope: ['docs/**'],
    artifacts: [{ path: file, role: 'modified' }],
    evidence: [
      { type: 'file', claim: 'it is there', ref: `${file}:2` },
      { type: 'test', claim: 'green', ref: 'npm test', result: 'pass', digest: of(content) },
    ],
  })
  return { project, id }
}

const judged = ({ claims, artifacts, gate }: Answer) => [
  ...claims.map(({ verdict }: Answer) => verdict),
  artifacts[0].status,
  gate,
]
const HOLDS = ['holds', 'holds', 'same', 'go']

test('in a clone with core.autocrlf nothing has changed', async (t) => {
  const { project, id } = await recordOf(t, 'log.txt', 'one\ntwo é\n')
  project.git('add', '-f', '.handoffs/records')
  project.git('commit', '-q', '-m', 'the record')
  const root = temporaryFolderSync(t)
  project.git('clone', '-q', '-c', 'core.autocrlf=true', project.root, root)
  const clone = await openTestProject(t, { root })

  const answer = await clone.call('handoff_freshness', { id })
  const { validation } = await clone.call('handoff_validate', { id })

  assert.equal(clone.read('log.txt'), 'one\r\ntwo é\r\n')
  assert.deepEqual(judged(answer), HOLDS)
  assert.equal(answer.claims[0].reason, 'the digest is equal but for line ends')
  const check = validation.checks.find(({ name }: Answer) => name === 'artifacts')
  assert.equal(check.status, 'pass')
})

test('a record of a file with CRLF holds where the file has LF', async (t) => {
  const { project, id } = await recordOf(t, 'log.txt', 'one\r\ntwo\r\n')

  project.write('log.txt', 'one\ntwo\n')

  assert.deepEqual(judged(await project.call('handoff_freshness', { id })), HOLDS)
})

for (const [what, before, after] of [
  ['another text with other line ends', 'one\ntwo\n', 'one\r\nthree\r\n'],
  ['one more line end', 'one\n', 'one\r\n\r\n'],
  ['a CR that ends no line', 'one\n', 'o\rne\n'],
  ['a binary file', Buffer.from('one\n\0'), Buffer.from('one\r\n\0')],
] as const) {
  test(`${what} is a change`, async (t) => {
    const { project, id } = await recordOf(t, 'log.txt', before)

    project.write('log.txt', after)

    const answer = await project.call('handoff_freshness', { id })
    assert.deepEqual(judged(answer), ['stale', 'stale', 'changed', 'care'])
  })
}

test('evidence of one file from two systems holds on both', async (t) => {
  const { project, id } = await recordOf(t, 'log.txt', 'one\ntwo\n')
  const { etag } = await project.call('handoff_get', { id })
  const item = { type: 'file', claim: 'it is there', ref: 'log.txt', digest: of('one\r\ntwo\r\n') }
  await project.call('handoff_update', { id, if_match: etag, append: { evidence: [item] } })

  const { claims } = await project.call('handoff_freshness', { id })

  assert.deepEqual([claims[0].verdict, claims[2].verdict], ['holds', 'holds'])
})

test('the pieces of a text may end anywhere', () => {
  const text = Buffer.from('a\r\nb\n\r\r\nc\r')
  for (let at = 0; at <= text.length; at++) {
    const hash = createLineEndHash()
    hash.add(text.subarray(0, at))
    hash.add(text.subarray(at))
    assert.deepEqual(hash.digests(), [of('a\nb\n\r\nc\r'), of('a\r\nb\r\n\r\r\nc\r')])
  }
})
