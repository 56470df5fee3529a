import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts'
import { type Reported, reported } from '../answers/check-report.ts'
import { createCallResolver } from '../catalog/resolve-calls.ts'
import { emptyIndex } from '../output/module-index.ts'
import { readCallTree } from '../service/call-tree.ts'
import { checkTree } from '../service/check-tree.ts'
import { openLocalModules } from '../service/local-modules.ts'

export interface CheckedHow {
  readonly exclude?: string[]
  /** The directory that is checked; absent: `live`. */
  readonly typed?: string
}

/** Checks a new folder with these files; nothing is ingested. */
export async function checkedFiles(
  t: TestContext,
  files: Readonly<Record<string, string | Buffer>>,
  how: CheckedHow = {},
): Promise<readonly Reported[]> {
  const root = await temporaryFolder(t)
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), text)
  }
  return await checkedFolder(t, root, how)
}

export async function checkedFolder(
  t: TestContext,
  root: string,
  { exclude = [], typed = 'live' }: CheckedHow = {},
): Promise<readonly Reported[]> {
  const directories = await readCallTree(root, typed, exclude)
  const local = await openLocalModules(directories, [root])
  t.after(() => local.close())
  const resolve = createCallResolver(emptyIndex())
  const tree = await checkTree(directories, {
    local,
    lookup: { call: async (block) => resolve(block) },
    load: () => assert.fail('nothing is ingested'),
  })
  return reported(tree)
}
