import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filePatchesOf } from './patch-id.ts'

const text = (name: string, line: string) =>
  `diff --git ${name.replace('?', 'a')} ${name.replace('?', 'b')}\nindex 1..2 100644\n--- x\n+++ x\n@@ -1 +1,2 @@\n one\n+${line}\n`
const binary = (blob: string) =>
  `diff --git a/x.png b/x.png\nindex 000..${blob} 100644\nBinary files a/x.png and b/x.png differ\n`

test('the change of each file has an identity of its own', () => {
  const [one, other] = filePatchesOf(text('?/a b/c', 'two') + text('?/d', 'diff --git a/e b/e'))
  const [again] = filePatchesOf(text('?/a b/c', 'two').replace('-1 +1,2', '-7 +8,2'))

  assert.deepEqual([one?.path, other?.path], ['a b/c', 'd'])
  assert.notEqual(one?.id, other?.id)
  assert.deepEqual(again, one)
})

test('a name that git quotes is read', () => {
  const [file] = filePatchesOf(text(String.raw`"?/sp\303\244ter \"x\"\t\\.ts"`, 'two'))

  assert.equal(file?.path, 'später "x"\t\\.ts')
})

test('a binary file is told by what it holds afterwards', () => {
  const [one, same, other] = ['abc', 'abc', 'abd'].map((blob) => filePatchesOf(binary(blob))[0]?.id)

  assert.equal(one, same)
  assert.notEqual(one, other)
})
