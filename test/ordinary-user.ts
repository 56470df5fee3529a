import { chownSync, copyFileSync, cpSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { temporaryFolder } from './harness/index.ts'

const ROOT = join(import.meta.dirname, '..')
const UNPRIVILEGED = 65534

/** The built program, as a user runs it to whom file permissions apply. */
export interface OrdinaryUser {
  /** What starts satchel: the path of Node and the built file. */
  readonly program: readonly [node: string, satchel: string]
  /** Options of `spawn`. */
  readonly options: { readonly uid?: number; readonly gid?: number }
  /** Variables that the process needs beside those that it would get anyway. */
  readonly env: Readonly<Record<string, string>>
}

/**
 * A user to whom file permissions apply and who owns `folder` with everything below it. Root may write anywhere, so
 * the children of root run as user 65534. That user may be unable to reach the checkout or Node, often in root's
 * home, and therefore runs copies.
 */
export async function ordinaryUserOf(t: TestContext, folder: string): Promise<OrdinaryUser> {
  if (process.getuid?.() !== 0) {
    return { program: [process.execPath, join(ROOT, 'dist/satchel.js')], options: {}, env: {} }
  }
  const copies = await temporaryFolder(t, 'satchel-copies-')
  const node = join(copies, 'node')
  const guard = join(copies, 'loopback-only.mjs')
  copyFileSync(process.execPath, node)
  copyFileSync(join(ROOT, 'test/fixtures/loopback-only.mjs'), guard)
  // A package.json in reach of the program says that its files are modules.
  copyFileSync(join(ROOT, 'package.json'), join(copies, 'package.json'))
  cpSync(join(ROOT, 'dist'), join(copies, 'dist'), {
    recursive: true,
    filter: (path) => !basename(path).endsWith('.map'),
  })
  for (const owned of [copies, folder]) giveToNobody(owned)
  return {
    program: [node, join(copies, 'dist/satchel.js')],
    options: { uid: UNPRIVILEGED, gid: UNPRIVILEGED },
    // Empty, not absent: Node would pass on its own, and that user may not write to the folder of the coverage.
    env: { NODE_OPTIONS: `--import=${pathToFileURL(guard)}`, NODE_V8_COVERAGE: '' },
  }
}

function giveToNobody(folder: string): void {
  chownSync(folder, UNPRIVILEGED, UNPRIVILEGED)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    chownSync(join(entry.parentPath, entry.name), UNPRIVILEGED, UNPRIVILEGED)
  }
}
