import { tmpdir } from 'node:os'
import { type Finding, isSatchelError } from '../../server/plugin.ts'
import type { ModuleService } from './service/module-service.ts'

const OLDEST_GIT = [2, 31] as const // modules design 2

/** The findings of `doctor` for this plugin: git and the index. Reads only. */
export async function diagnoseModules(
  service: ModuleService,
  outputDir: string,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  return [await diagnoseGit(service, signal), await diagnoseIndex(outputDir)]
}

async function diagnoseGit({ host }: ModuleService, signal: AbortSignal): Promise<Finding> {
  const [{ createGit }, { gitEnvironment }, { isOlder, versionOf }] = await Promise.all([
    import('./git/command.ts'),
    import('./git/environment.ts'),
    import('./git/operator-git.ts'),
  ])
  const workDir = tmpdir()
  const environment = gitEnvironment(host.env, { gitDir: workDir, ceiling: workDir })
  const subject = 'git'
  try {
    const git = createGit({ baseDir: workDir, environment, signal, hidden: [] })
    const version = versionOf(await git.run(['version']))
    const detail = `git ${version.join('.')}`
    return isOlder(version, OLDEST_GIT)
      ? { level: 'problem', subject, detail: `${detail}; modules need ${OLDEST_GIT.join('.')} or newer` }
      : { level: 'ok', subject, detail }
  } catch (thrown) {
    if (!isSatchelError(thrown)) throw thrown
    return { level: 'problem', subject, detail: thrown.message }
  }
}

async function diagnoseIndex(outputDir: string): Promise<Finding> {
  const { loadIndex } = await import('./output/index-file.ts')
  const subject = 'module index'
  try {
    const index = await loadIndex(outputDir)
    if (index === undefined) {
      return { level: 'ok', subject, detail: 'nothing has been ingested yet: satchel ingest' }
    }
    const detail = `${index.records.length} summaries, last run ended ${index.finished_at ?? 'never'}`
    return { level: 'ok', subject, detail }
  } catch (thrown) {
    if (!isSatchelError(thrown)) throw thrown
    return { level: 'problem', subject, detail: thrown.message }
  }
}
