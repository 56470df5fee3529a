/**
 * Prints the size in tokens of the ten most used calls, as text and as data, and the share of fence marks.
 * `node --import ./scripts/typescript.mjs scripts/answer-sizes.ts [PROGRAM]`: the program that serves,
 * `dist/satchel.js` by default, after `npm run build`.
 */
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { fenceShare, tokensOf } from '../test/harness/reader-pages.ts'
import { buildProject, QUERY, SERVER_FLAGS } from '../test/harnesses/project.ts'
import { table } from './markdown.ts'

const program = resolve(process.argv[2] ?? 'dist/satchel.js')
const folder = await realpath(await mkdtemp(join(tmpdir(), 'satchel-sizes-')))
const client = new Client({ name: 'satchel-sizes', version: '1.0.0' })
try {
  const { found } = await buildProject(folder)
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, 'mcp', ...SERVER_FLAGS],
      cwd: folder,
      stderr: 'ignore',
    }),
  )
  const calls: readonly [string, Record<string, unknown>][] = [
    ['handoff_resume', { mark: false }],
    ['handoff_list', {}],
    ['handoff_get', { id: 'latest' }],
    ['handoff_create', { title: 'a', objective: 'b', current_state: 'c' }],
    ['search_modules', { query: QUERY }],
    ['search_modules_vector', { query: QUERY }],
    ['get_module', { id: found[0] }],
    ['module_check', { hcl: `module "a" {\n  source = "git::file://${folder}/catalog?ref=v1.0.0"\n}\n` }],
    ['workspace_read', {}],
    ['workspace_changes', { since_event_id: 0 }],
  ]
  const sizes: { name: string; text: number; data: number; fences: number }[] = []
  for (const [name, args] of calls) {
    const { content, structuredContent } = await client.callTool({ name, arguments: args })
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
    const data = JSON.stringify(structuredContent)
    const [inText, inData] = [tokensOf(text), tokensOf(data)].map(Math.ceil) as [number, number] // two in, two out
    sizes.push({ name, text: inText, data: inData, fences: Math.max(fenceShare(text), fenceShare(data)) })
  }
  const columns = (['text', 'data'] as const).map((channel) =>
    sizes.map((size) => size[channel]).sort((a, b) => a - b),
  )
  const row = (name: string, of: (sorted: readonly number[]) => number | undefined): string[] => [
    name,
    ...columns.map((sorted) => String(of(sorted))),
    '',
  ]
  console.log(
    table(
      ['call', 'text', 'data', 'fence marks'],
      [
        ...sizes.map(({ name, text, data, fences }) => [
          `\`${name}\``,
          `${text}`,
          `${data}`,
          `${(fences * 100).toFixed(1)} %`,
        ]),
        row('median', (sorted) => sorted[Math.floor(sorted.length / 2)]),
        row('largest', (sorted) => sorted.at(-1)),
      ],
    ),
  )
} finally {
  await client.close()
  await rm(folder, { recursive: true, force: true })
}
