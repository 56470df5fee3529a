import { withScratchFolder } from '../../../server/plugin.ts'
import type { LabContext } from '../../context.ts'
import type { Compared } from './comparison.ts'
import { compareFanOut } from './fan-out.ts'
import { compareIngest } from './ingest.ts'
import { compareJournal } from './journal.ts'
import { openPackageCache, type PackageCache } from './package-cache.ts'
import type { PeerPart } from './parts.ts'
import { compareRecords } from './records.ts'
import { compareStart } from './start.ts'
import { compareVectors } from './vectors.ts'

interface PeersOptions extends LabContext {
  readonly parts: readonly PeerPart[]
  /** Folder of the packages of rivals. */
  readonly cache: string
  /** Repository to ingest. */
  readonly remote: string
}

const PARTS: Readonly<
  Record<PeerPart, (cache: PackageCache, folder: string, options: PeersOptions) => Promise<Compared>>
> = {
  start: compareStart,
  records: compareRecords,
  vectors: compareVectors,
  journal: compareJournal,
  fanout: compareFanOut,
  ingest: compareIngest,
}

/** Compares ours with rivals, part by part. Leaves nothing behind but the packages in the cache. */
export async function measurePeers(options: PeersOptions): Promise<Compared> {
  const cache = openPackageCache(options.cache, options)
  const compared: Compared[] = []
  for (const part of options.parts) {
    compared.push(await withScratchFolder('satchel-peers', (folder) => PARTS[part](cache, folder, options)))
  }
  return {
    figures: compared.flatMap(({ figures }) => figures),
    missing: compared.flatMap(({ missing }) => missing),
  }
}
