import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { openHost, type TestHost, temporaryFolder } from '../../../test/harness/index.ts'
import { plugin } from '../index.ts'
import { buildRemote } from './build-remote.ts'

/** A project that has ingested one module of this text, and the address of its repository. */
export async function oneModule(
  t: TestContext,
  text: string,
): Promise<{ readonly opened: TestHost; readonly url: string }> {
  const root = await temporaryFolder(t)
  const url = await buildRemote(join(root, 'terraform-aws-box.git'), [
    { files: { 'main.tf': text }, tags: ['v1.0.0'] },
  ])
  const opened = await openHost(t, {
    plugins: [{ plugin, settings: { repositories: [{ url }] } }],
    projectRoot: root,
    env: { PATH: process.env['PATH'] },
  })
  await opened.call('ingest_modules', {})
  return { opened, url }
}

/** A folder for the command line, with one module that is not ingested yet and a configuration that keeps vectors. */
export async function vectorFolder(t: TestContext): Promise<string> {
  const root = await temporaryFolder(t)
  const url = await buildRemote(join(root, 'terraform-x-net.git'), [
    { files: { 'main.tf': 'variable "private_network" {}\n' }, tags: ['v1.0.0'] },
  ])
  const config = { repositories: [{ url }], output_dir: './out', clone_dir: './clones' }
  const embedding = { enabled: true, vectordb_path: './vectors' }
  await writeFile(join(root, 'satchel.yaml'), JSON.stringify({ ...config, embedding }))
  return root
}
