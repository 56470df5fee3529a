import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'

/** One commit of a made-up repository. */
export interface MadeCommit {
  /** Absent: `main`. */
  readonly branch?: string
  /** Path -> content; what other commits of the branch had stays. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  /** Path -> target of a symbolic link. */
  readonly links?: Readonly<Record<string, string>>
  /** Paths of submodules. */
  readonly submodules?: readonly string[]
  readonly removes?: readonly string[]
  readonly tags?: readonly string[]
  readonly annotatedTags?: readonly string[]
  /** The branch is there already, from an earlier call. */
  readonly continues?: boolean
}

/**
 * Makes (or continues) a bare repository with this history in one `git fast-import`: for tests, benches and the demo.
 * Gives its `file://` URL. Equal input gives equal commit ids.
 */
export async function buildRemote(path: string, commits: readonly MadeCommit[]): Promise<string> {
  await mkdir(path, { recursive: true })
  await git(path, ['init', '--bare', '--initial-branch=main', '.'])
  await git(path, ['fast-import', '--quiet', '--force'], Buffer.concat(commits.flatMap(commitText)))
  return pathToFileURL(path).href
}

/** Removes tags or branches, by full name. */
export async function deleteRefs(path: string, fullNames: readonly string[]): Promise<void> {
  for (const name of fullNames) await git(path, ['update-ref', '-d', name])
}

function commitText(commit: MadeCommit, at: number): Buffer[] {
  const branch = `refs/heads/${commit.branch ?? 'main'}`
  const who = `Sample Author <author@example.com> ${1_700_000_000 + at} +0000`
  const parts: (string | Uint8Array)[] = [
    `commit ${branch}\nmark :${at + 1}\nauthor ${who}\ncommitter ${who}\ndata 4\nmade\n`,
    commit.continues === true ? `from ${branch}^0\n` : '',
  ]
  for (const path of commit.removes ?? []) parts.push(`D ${path}\n`)
  for (const [path, content] of Object.entries(commit.files ?? {}))
    parts.push(...inline('100644', path, content))
  for (const [path, target] of Object.entries(commit.links ?? {}))
    parts.push(...inline('120000', path, target))
  for (const path of commit.submodules ?? []) parts.push(`M 160000 ${'1'.repeat(40)} ${path}\n`)
  for (const tag of commit.tags ?? []) parts.push(`reset refs/tags/${tag}\nfrom :${at + 1}\n\n`)
  for (const tag of commit.annotatedTags ?? []) {
    parts.push(`tag ${tag}\nfrom :${at + 1}\ntagger ${who}\ndata 4\nmade\n`)
  }
  return parts.map((part) => Buffer.from(part))
}

function inline(mode: string, path: string, content: string | Uint8Array): (string | Uint8Array)[] {
  const bytes = Buffer.from(content)
  return [`M ${mode} inline ${path}\ndata ${bytes.length}\n`, bytes, '\n']
}

async function git(cwd: string, args: readonly string[], input?: Uint8Array): Promise<void> {
  const child = spawn('git', [...args], { cwd, stdio: ['pipe', 'ignore', 'pipe'], env: plainEnvironment() })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  child.stdin.on('error', () => undefined) // git ended early: its exit code tells
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`git ${args[0]} failed: ${said.slice(0, 500)}`)
}

/** Nothing of the caller's git settings may change what is made. */
function plainEnvironment(): Record<string, string> {
  return { PATH: PATH_OF_SYSTEM, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' }
}

const PATH_OF_SYSTEM = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin'
