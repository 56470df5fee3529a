import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { filesBelow } from '../../../test/harness/files-below.ts'
import { temporaryFolder } from '../../../test/harness/index.ts'
import { startCli } from '../../cli/testing/run-cli.ts'
import type { SetupPlace } from '../folders.ts'

export interface Home {
  readonly home: string
  readonly at: SetupPlace
  run(...words: readonly string[]): ReturnType<typeof startCli>['done']
}

/** What programs in this home get. A server that a busy machine lets run for long would keep its compiled code there. */
export function environmentOf(home: string): Readonly<Record<string, string>> {
  return { HOME: home, PATH: dirname(process.execPath), NODE_DISABLE_COMPILE_CACHE: '1' }
}

/** An empty home with a project in it; the name has a space and quotes. */
export async function openHome(t: TestContext): Promise<Home> {
  const home = join(realpathSync(await temporaryFolder(t)), `a "home" of ann's`)
  const projectRoot = join(home, 'work', 'my project')
  mkdirSync(projectRoot, { recursive: true })
  const env = environmentOf(home)
  return {
    home,
    at: { env, projectRoot, platform: process.platform },
    run: (...words) =>
      startCli(['setup', ...words, '--project', projectRoot], { cwd: projectRoot, env }).done,
  }
}

export function write(path: string, content: string | Buffer, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content, { mode })
}

/** Every file below a folder, with its content; the state of satchel left out. */
export function treeOf(folder: string): Readonly<Record<string, string>> {
  const state = join('.local', 'state')
  return Object.fromEntries([...filesBelow(folder)].filter(([path]) => !path.includes(state)))
}
