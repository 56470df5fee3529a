import { admit, type Trust } from '../git/admission.ts'
import { openRepository, type Repository, type RepositoryOptions } from '../git/repository.ts'
import { type Remote, remoteEndpoint } from '../registry/remote.ts'
import type { RepositoryPlan } from './plan.ts'
import type { Warning } from './report.ts'

export interface RemoteOptions extends Omit<RepositoryOptions, 'admission'> {
  readonly trust: Trust
  /** `endpointsOf` what the operator's configuration names. */
  readonly known: ReadonlySet<string>
  /** How long a registry may take for one answer; absent: 30 seconds. */
  readonly registryAnswerMs?: number | undefined
  warn(warning: Omit<Warning, 'repository'>): void
}

/**
 * What an entry names, as a repository: a git remote, or a module of a registry. Its owner calls `close`.
 * Errors: those of `admit`.
 */
export async function openRemote(remote: Remote, options: RemoteOptions): Promise<Repository> {
  const { warn } = options
  if (remote.scheme === 'registry') {
    const { openRegistryRepository } = await import('../registry/registry-repository.ts')
    return openRegistryRepository({
      ...options,
      remote,
      answerMs: options.registryAnswerMs,
      warn: (ref, code, message) => warn({ ref, code, message }),
    })
  }
  const admission = await admit(remote, options.trust)
  for (const message of admission.warnings) warn({ code: 'insecure_transport', message })
  return openRepository({ ...options, admission })
}

/** `host:port` of each repository that is not local. */
export function endpointsOf(plans: readonly RepositoryPlan[]): ReadonlySet<string> {
  return new Set(plans.flatMap(({ remote }) => remoteEndpoint(remote) ?? []))
}
