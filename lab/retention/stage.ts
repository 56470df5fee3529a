import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { cleanGitEnvironment, runGit, withScratchFolder } from '../../server/plugin.ts'
import { openSession, type Session } from './session.ts'

/** A new git repository, a clock, and the sessions that work in it. */
export interface Stage {
  readonly root: string
  git(...args: readonly string[]): Promise<string>
  /** Writes files below the root. */
  write(files: Readonly<Record<string, string>>): Promise<void>
  /** Writes files and commits everything but the store. */
  commit(subject: string, files: Readonly<Record<string, string>>): Promise<void>
  now(): Date
  advance(minutes: number): void
  session(id: string, options?: { readonly hasVariable?: boolean; readonly root?: string }): Promise<Session>
}

type Environment = Readonly<Record<string, string | undefined>>

const START_MS = Date.UTC(2026, 10, 21, 10)

/** Runs `work` on a stage that is closed and removed afterwards. */
export async function onStage<T>(env: Environment, work: (stage: Stage) => Promise<T>): Promise<T> {
  return await withScratchFolder('satchel-retention', async (folder) => {
    const root = join(folder, 'project')
    const sessions: Session[] = []
    let nowMs = START_MS
    const stage: Stage = {
      root,
      async git(...args) {
        const who = ['user.name=t', 'user.email=t@example.org', 'commit.gpgsign=false', 'core.autocrlf=false']
        const clean = cleanGitEnvironment(env, {
          GIT_CONFIG_GLOBAL: '/dev/null',
          GIT_AUTHOR_DATE: new Date(nowMs).toISOString(),
          GIT_COMMITTER_DATE: new Date(nowMs).toISOString(),
        })
        const ended = await runGit(args, { cwd: root, env: clean, config: who })
        if (ended.kind === 'failed') throw new Error(`git ${args.join(' ')}: ${ended.stderr}`)
        return ended.stdout.trim()
      },
      async write(files) {
        for (const [path, text] of Object.entries(files)) {
          await mkdir(dirname(join(root, path)), { recursive: true })
          await writeFile(join(root, path), text)
        }
      },
      async commit(subject, files) {
        nowMs += 1000
        await stage.write(files)
        await stage.git('add', '--', ...Object.keys(files))
        await stage.git('commit', '-q', '-m', subject)
      },
      now: () => new Date(nowMs),
      advance: (minutes) => {
        nowMs += minutes * 60_000
      },
      async session(id, { hasVariable = true, root: at = root } = {}) {
        const session = await openSession({
          root: at,
          path: env['PATH'],
          id,
          hasVariable,
          now: () => new Date(nowMs),
        })
        sessions.push(session)
        return session
      },
    }
    await mkdir(root, { recursive: true })
    await stage.git('init', '-q', '-b', 'main')
    await stage.commit('first', {
      'src/callback.ts': 'export const callback = 1\n',
      'fixture.txt': 'one\n',
      '.gitignore': '.handoffs/\n',
    })
    try {
      return await work(stage)
    } finally {
      for (const session of sessions) await session.close()
    }
  })
}
