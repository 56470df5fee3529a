import { refusals } from '../reasons.ts'
import type { Git } from './command.ts'

/** The operator's git configuration for remotes. */
export interface OperatorGit {
  readonly sshCommandConfigured: boolean
  /** `url.<base>.insteadOf` is in use: the transport may differ from what the URL says. */
  readonly rewritesUrls: boolean
}

const PINNING_VERSION = [2, 37] as const // http.curloptResolve

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
  if (isOlder(versionOf(await git.run(['version'])), PINNING_VERSION)) throw refusals.git_cannot_pin()
}

/** `git version 2.39.5` as numbers. */
export function versionOf(said: string): number[] {
  return (/(\d+(?:\.\d+)+)/.exec(said)?.[1] ?? '0').split('.').map(Number)
}

/** Whether a version comes before `[major, minor]`. */
export function isOlder(
  [major = 0, minor = 0]: readonly number[],
  wanted: readonly [number, number],
): boolean {
  return major < wanted[0] || (major === wanted[0] && minor < wanted[1])
}
