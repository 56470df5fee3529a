import { resolve } from 'node:path'
import { gitRootOf, requireProject } from './platform/project-folder.ts'

export interface RootRequest {
  /** `--project`. */
  readonly flag: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

/**
 * Returns the absolute project root: `--project`, `SATCHEL_PROJECT`, `CLAUDE_PROJECT_DIR`, the git root of the working
 * directory, the working directory (surface, section 5). Does not run git: a folder that contains `.git` is a root.
 * Errors: `not_found`/`project_not_found` if that is not a folder that this user may enter.
 */
export async function findProjectRoot(request: RootRequest): Promise<string> {
  const named = request.flag ?? request.env['SATCHEL_PROJECT'] ?? request.env['CLAUDE_PROJECT_DIR']
  if (named !== undefined && named !== '') return requireProject(resolve(request.cwd, named), named)
  return (await gitRootOf(request.cwd)) ?? requireProject(request.cwd)
}

/** The folder from which the project root was found; undefined where the user named the root. */
export function projectStartOf({ flag, env, cwd }: RootRequest): string | undefined {
  if (flag || env['SATCHEL_PROJECT']) return undefined
  return resolve(cwd, env['CLAUDE_PROJECT_DIR'] ?? '')
}
