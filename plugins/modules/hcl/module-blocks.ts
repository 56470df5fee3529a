/** The `module` blocks of a proposed text. */
import type { GivenBlock, GivenInput } from '../domain/check.ts'
import type { GivenValue } from '../domain/given-value.ts'
import { type Notes, statedText } from './attribute.ts'
import type { Attribute, Block } from './body.ts'
import { splitList, splitObject } from './collections.ts'
import { readLiteral } from './literals.ts'
import { readHcl } from './reader.ts'

/** Arguments that Terraform itself understands. */
const META = new Set(['source', 'version', 'providers', 'count', 'for_each', 'depends_on'])
/** Depth to which values with expressions are taken apart; anything deeper counts as an expression. */
const MAX_DEPTH = 8
/** A proposal has a few blocks; the rest of a longer text is reported, not read. */
const MAX_BLOCKS = 100

/** What a proposed text holds: its module blocks, and what could not be read, with lines. */
export interface ProposedText {
  readonly blocks: readonly GivenBlock[]
  readonly problems: readonly { readonly line: number; readonly message: string }[]
}

/** Reads HCL text with `module` blocks; all other blocks are skipped. Never throws. */
export function readModuleBlocks(text: string): ProposedText {
  const file = readHcl(text)
  const problems = [...file.problems, ...file.doubts].map(({ line, message }) => ({ line, message }))
  const blocks = file.blocks.filter(({ type, labels }) => type === 'module' && labels.length === 1)
  const rest = blocks[MAX_BLOCKS]
  if (rest !== undefined) {
    problems.push({
      line: rest.line ?? 1,
      message: `Only the first ${MAX_BLOCKS} module blocks are checked.`,
    })
  }
  return { blocks: blocks.slice(0, MAX_BLOCKS).map(toGiven), problems }
}

function toGiven(block: Block): GivenBlock {
  const notes: Notes = { unsure: new Map(), numbersAsText: new Set() }
  const { attributes } = block.body
  const source = attributes.get('source')
  const version = attributes.get('version')
  return {
    name: block.labels[0] ?? '',
    line: block.line ?? 1,
    ...(source === undefined ? {} : { source: { text: statedText(source, notes), line: source.line ?? 1 } }),
    ...(version === undefined ? {} : { version: statedText(version, notes) }),
    meta: new Map(
      [...attributes].flatMap(([name, { line = block.line ?? 1 }]) => (META.has(name) ? [[name, line]] : [])),
    ),
    ...providerKeys(attributes.get('providers')),
    inputs: [...attributes].filter(([name]) => !META.has(name)).map(toInput),
  }
}

function providerKeys(providers: Attribute | undefined): { readonly providers?: readonly string[] } {
  const entries = providers?.kind === 'source' ? splitObject(providers.text) : undefined
  return entries === undefined ? {} : { providers: entries.map(({ key }) => key) }
}

function toInput([name, attribute]: readonly [string, Attribute]): GivenInput {
  const value: GivenValue =
    attribute.kind === 'source' ? readGiven(attribute.text, 0) : { kind: 'literal', value: attribute.value }
  return { name, line: attribute.line ?? 1, value }
}

/** A literal as a whole, else a list or object of what its parts are, else an expression. */
function readGiven(text: string, depth: number): GivenValue {
  const literal = readLiteral(text)
  if (literal.kind === 'literal') return { kind: 'literal', value: literal.value }
  if (depth >= MAX_DEPTH || literal.kind === 'unsure') return { kind: 'expression' }
  const items = splitList(text)
  if (items !== undefined) return { kind: 'list', items: items.map((item) => readGiven(item, depth + 1)) }
  const entries = splitObject(text)
  if (entries === undefined) return { kind: 'expression' }
  return { kind: 'object', entries: entries.map((entry) => [entry.key, readGiven(entry.text, depth + 1)]) }
}
