import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { moduleFlavour } from '../../../plugins/modules/domain/module-files.ts'
import type { ModuleReader } from '../../../plugins/modules/ingest/module-reader.ts'
import { printSummary } from '../../../plugins/modules/output/summary-printer.ts'
import { makeDirectoryDurably, writeFileDurably } from '../../../server/plugin.ts'
import { processMs } from '../timing.ts'

/** What the usual way needs: one clone, then a checkout of each ref, read from the work tree. */
export interface CheckoutPeer {
  readonly url: string
  readonly refs: readonly string[]
  readonly cloneDir: string
  readonly outputDir: string
  readonly reader: ModuleReader
}

/** Reads the refs as other ingesters do, with our reader and our way of writing. Gives the number of summaries. */
export async function ingestByCheckout(peer: CheckoutPeer): Promise<number> {
  await git(dirname(peer.cloneDir), ['clone', '--quiet', '--', peer.url, peer.cloneDir])
  let summaries = 0
  for (const ref of peer.refs) {
    await git(peer.cloneDir, ['checkout', '--quiet', '--detach', `refs/tags/${ref}`])
    const names = await readdir(peer.cloneDir)
    const { pieces } = printSummary(await summarizeDirectory(peer, ref, '.', names))
    const name = `peer_${ref}.json`.replace(/[^A-Za-z0-9._-]/g, '_')
    await makeDirectoryDurably(peer.outputDir)
    await writeFileDurably(join(peer.outputDir, name), Buffer.concat(pieces))
    summaries += 1
  }
  return summaries
}

async function summarizeDirectory(
  peer: CheckoutPeer,
  ref: string,
  directory: string,
  names: readonly string[],
) {
  const { reader } = peer
  const bytesOf = (name: string): Promise<Buffer> => readFile(join(peer.cloneDir, directory, name))
  const modules = names.filter((name) => moduleFlavour(name)).sort()
  const files = await Promise.all(
    modules.map(async (name) => ({ name, facts: await reader.parseFile(name, await bytesOf(name)) })),
  )
  const [readmeName] = names.filter((name) => /^readme\.md$/i.test(name))
  const bytes = readmeName === undefined ? undefined : await bytesOf(readmeName)
  return reader.summarize({
    repository: peer.url,
    ref,
    refKind: 'tag',
    commit: '0'.repeat(40),
    path: directory,
    name: basename(peer.url),
    kind: directory === '.' ? 'root' : 'submodule',
    files,
    ...(readmeName !== undefined && bytes && { readme: { name: readmeName, bytes, size: bytes.length } }),
  })
}

async function git(cwd: string, args: readonly string[]): Promise<void> {
  await processMs(['git', ...args], { cwd })
}
