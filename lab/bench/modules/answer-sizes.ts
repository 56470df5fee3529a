/** What answers of `get_module` cost a model, for real modules. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { ModuleSummary } from '../../../plugins/modules/domain/summary.ts'
import { BYTES_PER_TOKEN, withScratchFolder } from '../../../server/plugin.ts'
import type { LabContext } from '../../context.ts'
import { type Figure, figureOf, limitFigure } from '../figure.ts'
import { builtProgram, startServe, timeToExit } from '../host/child.ts'
import { type DoorClient, openDoorClient } from '../host/door-client.ts'
import { repositoriesIn } from './tags/figures.ts'

/** The largest page that is promised, in tokens. */
const PAGE_TOKENS = 4000

/** The sizes of the answers about one module, in tokens; a list has one for each page. */
export interface AnswerSizes {
  readonly name: string
  readonly required: readonly number[]
  /** The type of the input with the longest one. */
  readonly type: readonly number[]
  readonly outputs: readonly number[]
  readonly compact: readonly number[]
  /** How many outputs the first page names, of all. */
  readonly outputsFirst: readonly [named: number, of: number]
}

/** Asks a served satchel about the newest tag of bare repositories (or of folders of them). */
export async function measureAnswers(
  context: LabContext,
  directories: readonly string[],
): Promise<readonly Figure[]> {
  const found = (await Promise.all(directories.map((directory) => repositoriesIn(resolve(directory))))).flat()
  return await withScratchFolder('satchel-answers', async (folder) => {
    const config = {
      repositories: found.map((url) => ({ url })),
      output_dir: './output',
      clone_dir: './clones',
      mcp: { auto_ingest: false },
    }
    await writeFile(join(folder, 'satchel.yaml'), JSON.stringify(config))
    await timeToExit([builtProgram(), 'ingest', '-q'], folder)
    const { server, address } = await startServe(folder)
    try {
      const client = openDoorClient(address, 1)
      try {
        const sizes: AnswerSizes[] = []
        for (const summary of await summariesIn(join(folder, 'output'))) {
          context.signal.throwIfAborted()
          sizes.push(await sizesOf(client, summary))
        }
        context.note(sizesTable(sizes))
        return answerFigures(sizes)
      } finally {
        client.close()
      }
    } finally {
      server.process.kill('SIGTERM')
    }
  })
}

async function summariesIn(folder: string): Promise<readonly ModuleSummary[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort()
  return await Promise.all(names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))))
}

/** An answer as a client that names no channel gets it: as text and as data. */
interface Answer {
  readonly content: readonly { readonly text?: string }[]
  readonly structuredContent: { readonly page?: { readonly next?: { args: Record<string, unknown> } } }
}

async function sizesOf(client: DoorClient, summary: ModuleSummary): Promise<AnswerSizes> {
  const { repository, variables, outputs } = summary
  const ask = async (wish: Record<string, unknown>): Promise<readonly Answer[]> => {
    const pages: Answer[] = []
    for (let args: Record<string, unknown> | undefined = wish; args; ) {
      const answer = (await client.callTool('get_module', { repository, ...args })) as Answer // as MCP answers
      pages.push(answer)
      args = answer.structuredContent.page?.next?.args
    }
    return pages
  }
  const longest = [...variables].sort((a, b) => b.type.length - a.type.length)[0]?.name ?? ''
  const compact = await ask({})
  const first = textOf(compact[0])
  const named = outputs.filter(({ name }) => first.includes(name)).length
  return {
    name: basename(repository.replace(/\/repo$/, '')),
    required: (await ask({ fields: ['required'] })).map(tokensOf),
    type: (await ask({ inputs: [longest] })).map(tokensOf),
    outputs: (await ask({ outputs: ['*'] })).map(tokensOf),
    compact: compact.map(tokensOf),
    outputsFirst: [named, outputs.length],
  }
}

const textOf = (answer: Answer | undefined): string =>
  (answer?.content ?? []).map(({ text = '' }) => text).join('\n')

/** The larger of both forms: which of them the model is given is the client's choice. */
function tokensOf(answer: Answer): number {
  const forms = [textOf(answer), JSON.stringify(answer.structuredContent)]
  return Math.ceil(Math.max(...forms.map((form) => Buffer.byteLength(form))) / BYTES_PER_TOKEN)
}

/** A line for each module, as text. */
export function sizesTable(sizes: readonly AnswerSizes[]): string {
  const rows = sizes.map(({ name, required, type, outputs, compact, outputsFirst: [named, of] }) => [
    name,
    ...[required, type, outputs, compact].map((pages) => pages.join(' + ')),
    `${named} of ${of}`,
  ])
  const all = [
    ['module', 'required', 'longest type', 'all outputs', 'compact', 'outputs on page one'],
    ...rows,
  ]
  const widths = all[0]?.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0))) ?? []
  return all
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** The promises of `get_module`. */
export function answerFigures(sizes: readonly AnswerSizes[]): readonly Figure[] {
  const pages = sizes.flatMap(({ required, type, outputs, compact }) => [
    ...required,
    ...type,
    ...outputs,
    ...compact,
  ])
  const outputs = sizes.map(({ outputsFirst }) => outputsFirst)
  const sum = (at: 0 | 1): number => outputs.reduce((total, pair) => total + pair[at], 0)
  return [
    limitFigure({
      name: 'modules.answer_page',
      what: `the largest of ${pages.length} pages about ${sizes.length} modules`,
      unit: 'tokens',
      ours: Math.max(0, ...pages),
      limit: PAGE_TOKENS,
      gate: 1,
    }),
    figureOf({
      name: 'modules.answer_outputs',
      what: 'outputs that the first page of a module names',
      unit: 'outputs',
      ours: sum(0) || 1,
      against: sum(1) || 1,
      against_what: 'all outputs',
      goal: 1,
      sense: 'at_least',
    }),
  ]
}
