import { commitOf, isCommitId } from '../domain/commit-id.ts'
import type { Handoff } from '../domain/record.ts'
import type { CommitFact, GitFacts, SinceCapture } from '../domain/world-facts.ts'
import { captureRepository } from './repository.ts'
import type { Git } from './run-git.ts'

/** Commits that are looked up for one record; the rest stay `unchecked`. Each takes up to three commands. */
const MAX_COMMITS = 20

/** How far HEAD moved since a record was captured, and whether the commits it names exist. */
export async function gitFactsFor(git: Git, record: Handoff, storePrefix: string): Promise<GitFacts> {
  const repository = await captureRepository(git, storePrefix)
  if (repository.kind === 'none') return { kind: 'none', reason: reasonText(repository.reason) }
  const captured = record.project.repository?.head ?? null
  const commits = record.evidence.flatMap((item) =>
    item.type === 'commit' ? (commitOf(item.ref ?? '') ?? []) : [],
  )
  return {
    kind: 'repository',
    head: repository.head,
    dirty: repository.dirty,
    uncommitted: repository.changed.map(({ path }) => path),
    ...(captured !== null &&
      repository.head !== null && { since: await since(git, captured, repository.head) }),
    commits: await commitFacts(git, [...new Set(commits)]),
  }
}

/** Only plain hex is passed to git: the captured head is text from a file. */
async function since(git: Git, captured: string, head: string): Promise<SinceCapture> {
  const none = { commitsAhead: null, changed: [] }
  if (!isCommitId(captured))
    return { ...none, relation: 'unknown', reason: 'the captured head is not a commit id' }
  const full = await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${captured}^{commit}`)
  if (full.kind === 'failed') {
    if (full.reason !== 'refused') return { ...none, relation: 'unknown', reason: reasonText(full.reason) }
    const shallow = await git('rev-parse', '--is-shallow-repository')
    if (shallow.kind === 'done' && shallow.stdout.trim() === 'true') {
      return { ...none, relation: 'unknown', reason: 'the captured commit is not in this shallow clone' }
    }
    return { ...none, relation: 'unrelated_history' }
  }
  const from = full.stdout.trim()
  if (from === head) return { relation: 'same', commitsAhead: 0, changed: [] }
  const changed = await changedBetween(git, from, head)
  const base = await git('merge-base', '--end-of-options', from, head)
  if (base.kind === 'failed') {
    if (base.reason === 'refused') return { relation: 'unrelated_history', commitsAhead: null, changed }
    return { relation: 'unknown', commitsAhead: null, changed, reason: reasonText(base.reason) }
  }
  const common = base.stdout.trim()
  const relation = common === from ? 'ahead' : common === head ? 'behind' : 'diverged'
  const count = await git('rev-list', '--count', '--end-of-options', `${from}..${head}`)
  const commitsAhead = count.kind === 'done' ? Number(count.stdout.trim()) : null
  return { relation, commitsAhead, changed }
}

async function changedBetween(git: Git, from: string, to: string): Promise<string[]> {
  const options = ['--name-only', '-z', '--no-renames', '--no-ext-diff', '--no-textconv', '--relative']
  const answer = await git('diff', ...options, '--end-of-options', from, to, '--')
  return answer.kind === 'done' ? answer.stdout.split('\0').filter((path) => path !== '') : []
}

async function commitFacts(git: Git, commits: readonly string[]): Promise<Map<string, CommitFact>> {
  const facts = new Map<string, CommitFact>()
  for (const commit of commits.slice(0, MAX_COMMITS)) facts.set(commit, await commitFact(git, commit))
  return facts
}

async function commitFact(git: Git, commit: string): Promise<CommitFact> {
  const found = await git('cat-file', '-e', '--end-of-options', `${commit}^{commit}`)
  if (found.kind === 'failed') return found.reason === 'refused' ? 'absent' : 'unchecked'
  const ancestor = await git('merge-base', '--is-ancestor', '--end-of-options', commit, 'HEAD')
  if (ancestor.kind === 'done') return 'ancestor'
  if (ancestor.reason !== 'refused') return 'unchecked'
  const holder = await git('for-each-ref', '--count=1', `--contains=${commit}`, '--format=%(refname)')
  if (holder.kind === 'failed') return 'unchecked'
  return holder.stdout.trim() === '' ? 'unreachable' : 'other_branch'
}

/** A failure of git as text. */
export function reasonText(reason: string): string {
  const words: Readonly<Record<string, string>> = {
    no_git: 'git is not installed',
    no_repository: 'not a git repository',
    dubious_ownership: 'git does not trust this repository (dubious ownership)',
    timeout: 'git took too long',
    too_much_output: 'git answered too much',
  }
  return words[reason] ?? 'git failed'
}
