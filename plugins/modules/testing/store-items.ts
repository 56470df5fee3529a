import { rm } from 'node:fs/promises'
import { realDisk } from '../../../server/plugin.ts'
import { moduleId } from '../output/module-index.ts'
import { embeddedStore } from '../search/embedded-store.ts'
import { packText } from '../search/packed-text.ts'
import type { StoreHeader } from '../search/store-header.ts'
import { storedVectors } from '../search/stored-vectors.ts'
import { documentDigest } from '../search/vector-record.ts'
import type { VectorItem } from '../search/vector-store.ts'
import { openSegmentSet } from '../segments/segment-set.ts'

/** Records for the tests of the stores: four dimensions, one direction each. */

export const HEADER: StoreHeader = {
  format: 1,
  strategy: 'vectordb-default',
  model: '',
  dims: 4,
  include: { description: true, readme: true, variables: true, outputs: true, resource_types: true },
  lexicon_version: '1',
  tokenizer_version: 1,
}

export function item(n: number): VectorItem {
  const repository = `https://example.test/acme/module-${n}`
  const angle = n * 0.7
  const document = `Description: module number ${n}`
  return {
    id: moduleId(repository, 'v1.0.0', '.'),
    document: packText(document),
    vector: Float32Array.from([Math.cos(angle), Math.sin(angle), 0, 0]),
    metadata: {
      repository,
      ref: 'v1.0.0',
      path: '.',
      provider: n % 2 === 0 ? 'google' : 'aws',
      providers: n % 2 === 0 ? 'google,random' : 'aws',
      tags: '',
      last_updated: '2026-01-01T00:00:00.000Z',
      kind: 'root',
      latest: true,
      document_sha256: documentDigest(document),
    },
  }
}

/** Header and records of the embedded store in `folder`, by record id. */
export function storedItems(folder: string) {
  const set = openSegmentSet(folder, realDisk)
  const stored = set && storedVectors(set, folder)
  if (!stored) throw new Error(`There is no vector store in ${folder}.`)
  const rows = [...stored.rows()].sort(([a], [b]) => (a < b ? -1 : 1))
  return { header: stored.header, items: rows.map(([, row]) => stored.item(row)) }
}

/** Replaces the content of `folder` by a store with this header and these records. */
export async function writeStore(
  folder: string,
  header: StoreHeader,
  items: readonly VectorItem[],
): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  const store = embeddedStore(folder, (_folder, work) => work())
  await store.replace(header, items)
  await store.close()
}
