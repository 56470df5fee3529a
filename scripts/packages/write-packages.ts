import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { toolDescriptor } from '../../server/mcp/descriptors.ts'
import { openWholeHost } from '../../test/harness/whole-host.ts'
import {
  agentPlugin,
  bundleManifest,
  claudeCodeMarketplace,
  codexMarketplace,
  geminiExtension,
  installLinks,
  type ListedTool,
  type PackageFacts,
  type PackageFiles,
  registryEntry,
} from './formats.ts'
import type { Release } from './release.ts'
import { loadSkills } from './skills.ts'

/** Every package by the name of its folder. Absent: the release lacks an owner or a repository. */
const FORMATS: Readonly<Record<string, (facts: PackageFacts) => PackageFiles | undefined>> = {
  'agent-plugin': agentPlugin,
  'claude-code': claudeCodeMarketplace,
  codex: codexMarketplace,
  gemini: geminiExtension,
  links: installLinks,
  'mcp-registry': registryEntry,
  mcpb: bundleManifest,
}

/** What was written, and what was left out because the release names no owner or no repository. */
export interface WrittenPackages {
  readonly written: readonly string[]
  readonly left_out: readonly string[]
}

/** Writes the files of every package below `folder`, which is emptied first. */
export async function writePackages(folder: string, release: Release): Promise<WrittenPackages> {
  const facts = { release, skills: loadSkills(), tools: await listedTools() }
  rmSync(folder, { recursive: true, force: true })
  const [written, leftOut]: [string[], string[]] = [[], []]
  for (const [name, format] of Object.entries(FORMATS)) {
    const files = format(facts)
    ;(files ? written : leftOut).push(name)
    for (const [path, text] of Object.entries(files ?? {})) {
      const file = join(folder, name, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
  }
  return { written, left_out: leftOut }
}

async function listedTools(): Promise<readonly ListedTool[]> {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-packages-'))
  const host = await openWholeHost(folder)
  try {
    const served = host.registry.tools.filter(({ tool }) => tool.mcp !== false)
    return served.map(({ tool }) => toolDescriptor(tool) as unknown as ListedTool)
  } finally {
    await host.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
