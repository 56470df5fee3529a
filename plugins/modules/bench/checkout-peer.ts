import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { moduleFlavour } from '../domain/module-files.ts'
import { printSummary, writeFilesDurably } from '../index/summary-files.ts'
import type { ModuleReader } from '../ingest/module-reader.ts'

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
    const files: { name: string; text: string }[] = []
    for (const [directory, names] of await moduleDirectories(peer.cloneDir)) {
      const { text } = printSummary(await summarizeDirectory(peer, ref, directory, names))
      files.push({ name: `peer_${ref}_${directory}`.replace(/[^A-Za-z0-9._-]/g, '_').concat('.json'), text })
    }
    await writeFilesDurably(peer.outputDir, files)
    summaries += files.length
  }
  return summaries
}

async function moduleDirectories(root: string): Promise<Map<string, string[]>> {
  const directories = new Map<string, string[]>()
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const directory = relative(root, entry.parentPath) || '.'
    if (!entry.isFile() || directory.split('/')[0] === '.git') continue
    directories.set(directory, [...(directories.get(directory) ?? []), entry.name])
  }
  return new Map([...directories].filter(([, names]) => names.some((name) => moduleFlavour(name))))
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
  const child = spawn('git', [...args], { cwd, stdio: 'ignore' })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`git ${args[0]} failed`)
}
