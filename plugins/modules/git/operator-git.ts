import { refusals } from '../reasons.ts'
import type { Git } from './command.ts'

/** The operator's git configuration for remotes. */
export interface OperatorGit {
  readonly sshCommandConfigured: boolean
  /** `url.<base>.insteadOf` is in use: the transport may differ from what the URL says. */
  readonly rewritesUrls: boolean
}

const PINNING_VERSION = [2, 37] // http.curloptResolve

/** Reads the operator's configuration, once per run. */
export async function readOperatorGit(git: Git): Promise<OperatorGit> {
  const keys = await git.run(['config', '--includes', '--name-only', '--list'])
  return {
    sshCommandConfigured: /^core\.sshcommand$/im.test(keys),
    rewritesUrls: /^url\..*\.insteadof$/im.test(keys),
  }
}

/** Errors: `unavailable`/`git_missing` where this git cannot be told which address to use. */
export async function requirePinning(git: Git): Promise<void> {
  const [major = 0, minor = 0] = versionOf(await git.run(['version']))
  const [wantedMajor = 0, wantedMinor = 0] = PINNING_VERSION
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return
  throw refusals.git_cannot_pin()
}

/** `git version 2.39.5` as numbers. */
export function versionOf(said: string): number[] {
  return (/(\d+(?:\.\d+)+)/.exec(said)?.[1] ?? '0').split('.').map(Number)
}
