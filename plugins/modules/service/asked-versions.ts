/** Module versions that a caller names and no ingest has read: read from the clone or the remote, and kept. */
import { isSatchelError, type SatchelError } from '../../../server/plugin.ts'
import { parseDirectory } from '../git/directory.ts'
import { isUnanswered } from '../git/failure.ts'
import { isCommitId } from '../git/ref-name.ts'
import { PARSER_VERSION } from '../hcl/parse-file.ts'
import type { AskedName } from '../ingest/asked-repository.ts'
import type { ChosenRef } from '../ingest/choose-refs.ts'
import { planRepositories, type RepositoryPlan } from '../ingest/plan.ts'
import { type AskedVersion, askedFile, listAsked, loadAsked, saveAsked } from '../output/asked-store.ts'
import { type IndexRecord, moduleId } from '../output/module-index.ts'
import { type Configured, operatorConfig, ownDirectories } from './operator-config.ts'

/** One directory of one ref of a configured repository. */
export interface AskedPlace {
  readonly outputDir: string
  readonly plan: RepositoryPlan
  readonly path: string
  readonly name: AskedName
  /** The ref as an ingest saw it, in other directories. */
  readonly known?: ChosenRef | undefined
  /** The refusal of a directory that the ref does not have. */
  pathMissing(at: Pick<IndexRecord, 'repository' | 'path' | 'ref'>): SatchelError
}

export interface AskedVersions {
  /** The configured repositories; none where reading is switched off. */
  configured(): Promise<readonly RepositoryPlan[]>
  /**
   * Its record. `spend` is called before git is started, and may throw.
   * Errors: those of reading; what failed is not tried again for a minute.
   */
  read(place: AskedPlace, spend: () => AbortSignal): Promise<IndexRecord>
  /** The records that are kept, and whose id starts like this. */
  kept(outputDir: string, prefix: string): Promise<readonly IndexRecord[]>
}

/** After this time a branch or tag is compared with the remote again: it may name another commit. */
const FRESH_MS = 3_600_000
const FAILURE_MS = 60_000
const MAX_FAILURES = 500

/** Opens nothing before the first read. */
export function createAskedVersions(service: Configured): AskedVersions {
  const { host, config } = service
  const failures = createFailures(() => host.now().getTime())
  return {
    async configured() {
      return config.read_missing_refs ? await configuredPlans(service) : []
    },
    async read(place, spend) {
      const kept = await keptVersion(place)
      if (kept && isFresh(kept, host.now())) return kept.record
      try {
        failures.check(place)
        return await readNow(service, place, { kept, signal: spend() })
      } catch (thrown) {
        if (!isSatchelError(thrown)) throw thrown
        failures.note(place, thrown)
        if (kept && (isUnanswered(thrown) || isOurs(thrown))) return kept.record
        throw thrown
      }
    },
    async kept(outputDir, prefix) {
      const ids = (await listAsked(outputDir)).filter((id) => id.startsWith(prefix))
      const found = await Promise.all(ids.slice(0, 3).map((id) => loadAsked(outputDir, id)))
      return found.flatMap((version) => (version === undefined ? [] : [version.record]))
    },
  }
}

async function configuredPlans(service: Configured): Promise<readonly RepositoryPlan[]> {
  const { repositories } = await operatorConfig(service)
  const { workingDirectory } = service
  const options = { recursive: false, workingDirectory, parserVersion: PARSER_VERSION }
  return planRepositories(repositories, options).repositories
}

/** Whether the remote was not asked, because an ingest has its clone or the call has asked enough. */
function isOurs({ code }: SatchelError): boolean {
  return code === 'conflict' || code === 'rate_limited'
}

async function keptVersion({ outputDir, plan, path, name }: AskedPlace): Promise<AskedVersion | undefined> {
  if ('version' in name || name.isDeleted) return undefined
  const ref = isCommitId(name.ref) ? name.ref.toLowerCase() : name.ref
  return await loadAsked(outputDir, moduleId(plan.remote.url, ref, path))
}

function isFresh({ record, seen_at }: AskedVersion, now: Date): boolean {
  return record.ref === record.commit || now.getTime() - Date.parse(seen_at) < FRESH_MS
}

interface Reading {
  readonly kept: AskedVersion | undefined
  readonly signal: AbortSignal
}

async function readNow(
  service: Configured,
  place: AskedPlace,
  { kept, signal }: Reading,
): Promise<IndexRecord> {
  const { outputDir, plan, name, known } = place
  const path = parseDirectory(place.path)
  const [{ openAskedRepository }, { recordOf }, { endpointsOf }] = await Promise.all([
    import('../ingest/asked-repository.ts'),
    import('../ingest/summary-output.ts'),
    import('../ingest/open-remote.ts'),
  ])
  const reachable = endpointsOf(await configuredPlans(service))
  const { clone_dir } = ownDirectories(service, await operatorConfig(service))
  const { env } = service.host
  const repository = await openAskedRepository(plan, { cloneDir: clone_dir, known: reachable, env, signal })
  try {
    const ref = known ?? (await repository.find(name))
    const id = moduleId(plan.remote.url, ref.ref, path)
    const same = kept ?? (await loadAsked(outputDir, id))
    const seen_at = service.host.now().toISOString()
    if (same?.record.commit === ref.commit) {
      await saveAsked(outputDir, { ...same, seen_at })
      return same.record
    }
    const read = await repository.read(ref, path)
    if (read === undefined) {
      throw place.pathMissing({ repository: plan.remote.url, path, ref: ref.ref })
    }
    const options_digest = plan.entries[0]?.optionsDigest ?? ''
    const file = { summary_file: askedFile(id), summary_sha256: '', options_digest }
    const record = recordOf(id, read.summary, { ...file, last_updated: seen_at, embedded: false })
    await saveAsked(outputDir, { ...read, record, seen_at })
    return record
  } finally {
    await repository.close()
  }
}

interface Failures {
  /** Throws what a read of this failed with a moment ago. */
  check(place: AskedPlace): void
  note(place: AskedPlace, error: SatchelError): void
}

/** A remote that cannot be reached fails for all of its refs. */
function createFailures(now: () => number): Failures {
  const known = new Map<string, { readonly until: number; readonly error: SatchelError }>()
  const keysOf = ({ outputDir, plan, path, name }: AskedPlace) => ({
    remote: plan.remote.url,
    place: JSON.stringify([outputDir, plan.remote.url, path, name]),
  })
  return {
    check(place) {
      const { remote, place: own } = keysOf(place)
      const found = known.get(own) ?? known.get(remote)
      if (found !== undefined && now() < found.until) throw found.error
    },
    note(place, error) {
      if (error.code === 'cancelled' || isOurs(error)) return
      const { remote, place: own } = keysOf(place)
      const key = isUnanswered(error) ? remote : own
      if ((known.get(key)?.until ?? 0) > now()) return // the first failure counts, or it would never be tried again
      known.delete(key)
      known.set(key, { until: now() + FAILURE_MS, error })
      const [first] = known.keys()
      if (known.size > MAX_FAILURES && first !== undefined) known.delete(first)
    },
  }
}
