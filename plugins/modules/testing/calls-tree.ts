import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { upgradeProject } from './upgrade-project.ts'

/** A module that was ingested, and the folder `live` that calls it with a mistake of each level. */
export async function openCallsTree(t: TestContext): Promise<string> {
  const { root, url } = await upgradeProject(t)
  await writeFile(
    join(root, 'satchel.yaml'),
    JSON.stringify({ repositories: [{ url, max_tags: 0 }], output_dir: './output', clone_dir: './repos' }),
  )
  await mkdir(join(root, 'live/a,b'), { recursive: true })
  const source = `source = "git::${url}?ref=v1.0.0"`
  await writeFile(
    join(root, 'live/main.tf'),
    `module "k" {\n  ${source}\n  cluster_name = "a"\n  cluster_version = "1"\n  zonez = 1\n}\n`,
  )
  await writeFile(join(root, 'live/outputs.tf'), 'output "x" {\n  value = module.k.endpont\n}\n')
  await writeFile(
    join(root, 'live/a,b/main.tf'),
    `module "lost" {\n  source = "git::${url}?ref=v7.0.0"\n}\nmodule "other" {\n  source = "acme/x/aws"\n}\n`,
  )
  return root
}
