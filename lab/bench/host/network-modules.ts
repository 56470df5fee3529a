import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { BUILTIN_PLUGINS } from '../../../server/builtin-plugins.ts'
import { builtProgram } from './child.ts'

const MODULES = 200

/**
 * Ingests a repository of 200 small modules into a new project in `folder`, where the modules plugin is built in.
 * `settings`: more lines of its configuration.
 */
export async function ingestNetworks(folder: string, settings: readonly string[] = []): Promise<void> {
  if (!BUILTIN_PLUGINS.some(({ name }) => name === 'modules')) return
  const repository = join(folder, 'repository')
  for (let at = 0; at < MODULES; at++) {
    const module = join(repository, 'modules', `network-${at}`)
    await mkdir(module, { recursive: true })
    await writeFile(join(module, 'main.tf'), moduleText(at))
  }
  const run = promisify(execFile)
  const git = (...args: string[]): Promise<unknown> =>
    run('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], { cwd: repository })
  await git('init', '-q', '-b', 'main')
  await git('add', '.')
  await git('commit', '-q', '-m', 'modules')
  const config = [
    'repositories:',
    `  - { url: "file://${repository}", branches: [main], recursive: true }`,
    'output_dir: ./output',
    'clone_dir: ./clones',
    ...settings,
  ]
  await writeFile(join(folder, 'satchel.yaml'), `${config.join('\n')}\n`)
  await run(process.execPath, [builtProgram(), 'ingest', 'satchel.yaml', '-q'], { cwd: folder })
}

function moduleText(at: number): string {
  const variables = Array.from(
    { length: 12 },
    (_, index) =>
      `variable "subnet_${index}" {\n  type = string\n  description = "subnet ${index} of network ${at}"\n}\n`,
  )
  return `${variables.join('')}resource "aws_vpc" "main" {}\noutput "id" {\n  value = aws_vpc.main.id\n}\n`
}
