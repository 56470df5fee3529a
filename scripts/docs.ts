/** Writes the reference parts of the documents from the declarations: tables between markers, docs/tools.md, docs/configuration.md, docs/errors.md, docs/expectations.md, schemas/config.json. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { BUILTIN_PLUGINS, displacedTools } from '../server/builtin-plugins.ts'
import { httpSection, pluginsSection, storageSection, toolsSection } from '../server/config-sections.ts'
import type { RefusalRow } from '../server/contract/refusals.ts'
import type { HttpRoute, Profile, Tool, Verb } from '../server/contract/tool.ts'
import { ERROR_TABLE } from '../server/error-table.ts'
import type { RunningHost } from '../server/host.ts'
import { toolDescriptor } from '../server/mcp/descriptors.ts'
import { isListed, type ToolFilter } from '../server/tool-filter.ts'
import { priceOf } from '../server/tool-prices.ts'
import { openWholeHost } from '../test/harness/whole-host.ts'
import { keptFigures } from './kept-figures.ts'
import { llmsText } from './llms-text.ts'
import { manPage } from './man-page.ts'
import { replaceBetween, table } from './markdown.ts'
import { performancePage } from './performance-page.ts'
import { keptPlots } from './pictures/kept-plots.ts'
import { barPlot } from './pictures/plots.ts'
import { expectationsPage, promiseTable, threatTable } from './proof-pages.ts'
import { loadProofs } from './proofs.ts'
import { loadRefusalTables } from './refusal-tables.ts'

type Json = Record<string, unknown>

const folder = mkdtempSync(join(tmpdir(), 'satchel-docs-'))
const host = await openWholeHost(folder)
try {
  mkdirSync('docs', { recursive: true })
  replaceBetween('README.md', 'prices', priceTable(host))
  write('docs/tools.md', toolsPage(host))
  write('docs/errors.md', await errorsPage())
  const proofs = loadProofs()
  write('docs/expectations.md', expectationsPage(proofs))
  replaceBetween('docs/security/threat-model.md', 'threats', threatTable(proofs))
  replaceBetween('docs/reliability.md', 'promises', promiseTable(proofs))
  if (existsSync('docs/bench/latest.json')) {
    const kept = keptFigures.parse(JSON.parse(readFileSync('docs/bench/latest.json', 'utf8')))
    const plots = keptPlots(kept)
    for (const { file, plot } of plots) write(`docs/pictures/${file}`, barPlot(plot))
    write('docs/performance.md', performancePage(kept, plots))
  }
  const config = configSchema(await pluginSections())
  write('schemas/config.json', `${JSON.stringify(config, null, 2)}\n`)
  write('docs/configuration.md', configurationPage(config))
  write('generated/satchel.1', await manPage(host))
  write('llms.txt', llmsText(JSON.parse(readFileSync('package.json', 'utf8')).description))
} finally {
  await host.stop()
  rmSync(folder, { recursive: true, force: true })
}

function write(path: string, text: string): void {
  writeFileSync(path, text)
}

function toolTable({ registry }: RunningHost): string {
  return table(
    ['tool', 'profile', 'what it does', 'REST', 'command'],
    registry.tools
      .filter(({ tool }) => tool.mcp !== false)
      .map(({ tool }) => [
        `[\`${tool.name}\`](#${tool.name})`,
        tool.profile,
        firstSentence(tool.description),
        routesOf(tool),
        verbsOf(tool),
      ]),
  )
}

function priceTable({ registry }: RunningHost): string {
  const listed = registry.tools.filter(({ tool }) => tool.mcp !== false)
  const cost = (profile: Profile, room: boolean) => {
    const displaced = displacedTools({ mentions: () => room })
    const filter: ToolFilter = { profile, readOnly: false, include: [], exclude: [], displaced }
    const counted = listed.filter(
      ({ tool, plugin }) =>
        (room || plugin !== 'workspace') &&
        isListed({ ...tool, readOnly: tool.annotations.readOnly }, filter),
    )
    const tokens = counted.reduce((sum, { tool }) => sum + priceOf(toolDescriptor(tool)).tokens, 0)
    return `${counted.length} tools, ${tokens} tokens`
  }
  const levels = ['core', 'standard', 'full'] as const
  return table(
    ['profile', 'without a room', 'with a room'],
    levels.map((level) => [`\`${level}\``, cost(level, false), cost(level, true)]),
  )
}

function toolsPage(opened: RunningHost): string {
  const { registry } = opened
  const head =
    '# Tools\n\nWritten by `npm run generate` from the declarations. One declaration serves every door.\n\n'
  return head + toolTable(opened) + registry.tools.map(({ tool }) => toolSection(tool)).join('')
}

function toolSection(tool: Tool): string {
  const { inputSchema } = toolDescriptor(tool) as {
    inputSchema: { properties?: Record<string, Json>; required?: string[] }
  }
  const hints = Object.entries(tool.annotations).map(([name, value]) => `${name}: ${value}`)
  const rows = Object.entries(inputSchema.properties ?? {}).map(([name, schema]) => [
    `\`${name}\`${inputSchema.required?.includes(name) ? ' (required)' : ''}`,
    typeText(schema),
    String(schema['description'] ?? ''),
  ])
  return [
    `\n## ${tool.name}\n\n${tool.description}\n\n`,
    `Profile \`${tool.profile}\`; ${hints.join(', ')}.${tool.requires ? ` Needs the capability \`${tool.requires}\`.` : ''}\n`,
    routesOf(tool) === '' ? '' : `\nREST: ${routesOf(tool)}\n`,
    verbsOf(tool) === '' ? '' : `\nCommand: ${verbsOf(tool)}\n`,
    rows.length === 0 ? '' : `\n${table(['input', 'type', 'meaning'], rows)}`,
    omissionsOf(tool),
    `\n\`\`\`json\n${JSON.stringify(tool.example, null, 2)}\n\`\`\`\n`,
  ].join('')
}

function omissionsOf({ omits = {} }: Tool): string {
  const parts = Object.entries(omits).map(([path, reason]) => `\`${path}\` (${reason})`)
  return parts.length === 0 ? '' : `\nThe text leaves out ${parts.join(', ')}.\n`
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text
}

function routesOf(tool: Tool): string {
  const routes = [tool.http ?? []].flat() as HttpRoute[]
  return routes.map(({ method, path }) => `\`${method} ${path}\``).join(', ')
}

function verbsOf(tool: Tool): string {
  const verbs = [tool.cli ?? []].flat() as Verb[]
  return verbs.map(({ verb }) => `\`satchel ${verb}\``).join(', ')
}

function typeText(schema: Json): string {
  const values = schema['enum']
  if (Array.isArray(values)) return values.map((value) => `\`${value}\``).join(', ')
  if (schema['type'] === 'array') return `list of ${typeText((schema['items'] ?? {}) as Json)}`
  return String(schema['type'] ?? 'any')
}

async function errorsPage(): Promise<string> {
  const codes = Object.entries(ERROR_TABLE).map(([code, row]) => [
    `\`${code}\``,
    String(row.http),
    String(row.exit),
    row.title,
  ])
  const parts = [
    '# Errors\n\nWritten by `npm run generate`. One error type at every door: `code` from this closed list, a stable `reason`, a `message` that says what was wrong and the next safe step, and `details`. Words in braces are filled in; a tool in the last column is the error’s `next`.\n\n',
    table(['code', 'HTTP', 'exit', 'title'], codes),
  ]
  for (const { title, rows } of await loadRefusalTables()) {
    parts.push(`\n## ${title}\n\n`)
    parts.push(table(['reason', 'code', 'message', 'next step'], [...rows.values()].map(reasonRow)))
  }
  return parts.join('')
}

function reasonRow({ reason, code, message, next, tool }: RefusalRow): string[] {
  const steps = [next ?? '', tool === undefined ? '' : `\`${tool}\``].filter(Boolean)
  return [`\`${reason}\``, `\`${code}\``, message, steps.join(' ')]
}

/** The sections of the built-in plugins by top-level key. */
async function pluginSections(): Promise<Record<string, Json>> {
  const sections: Record<string, Json> = {}
  for (const { section, load } of BUILTIN_PLUGINS) {
    const schema = sectionSchema((await load()).config)
    if ('key' in section) sections[section.key] = schema
    else Object.assign(sections, schema['properties'])
  }
  return sections
}

function sectionSchema(schema: z.ZodType): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
  }) as Json
  return rest
}

function configSchema(sections: Record<string, Json>): Json {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'satchel configuration',
    type: 'object',
    additionalProperties: false,
    properties: {
      ...sections,
      http: sectionSchema(httpSection),
      tools: sectionSchema(toolsSection),
      storage: sectionSchema(storageSection),
      plugins: sectionSchema(pluginsSection),
    },
  }
}

function configurationPage(schema: Json): string {
  const rows = keysOf(schema, '').map(([key, node]) => [
    `\`${key}\``,
    typeText(node),
    'default' in node ? `\`${JSON.stringify(node['default'])}\`` : '',
    String(node['description'] ?? ''),
  ])
  return `# Configuration\n\nWritten by \`npm run generate\` from the schemas; \`schemas/config.json\` is the same for editors. One YAML file; precedence is flag, environment, file, default. The file is that of \`--config\`, else of \`SERVICE_CONFIG\`, else \`satchel.yaml\` or \`config.yaml\` of the working directory; where the project's root is another folder, its \`satchel.yaml\` is not read, and satchel says so on standard error. \`satchel config show --origin\` prints what is in force and where each value came from.\n\n${table(['key', 'type', 'default', 'meaning'], rows)}`
}

function keysOf(schema: Json, prefix: string): [string, Json][] {
  return Object.entries((schema['properties'] ?? {}) as Record<string, Json>).flatMap(
    ([name, node]): [string, Json][] => {
      const key = `${prefix}${name}`
      if (node['properties']) return keysOf(node, `${key}.`)
      const items = node['items'] as Json | undefined
      return items?.['properties'] ? [[key, node], ...keysOf(items, `${key}[].`)] : [[key, node]]
    },
  )
}
