/** Reads what the code of a module file is compared by. */
import { createHash } from 'node:crypto'
import { isJsonObject } from '../../../server/plugin.ts'
import { type CodeBlock, DIGEST_MARK, type FileCode } from '../domain/module-code.ts'
import { MODULE_FILE_MAX_BYTES, moduleFlavour } from '../domain/module-files.ts'
import { statedSource } from './attribute.ts'
import type { Attribute, Block, Body } from './body.ts'
import { canonicalText } from './canonical-text.ts'
import { readJsonModule } from './json-module.ts'
import { readHcl } from './reader.ts'

/** Part of what is stored: raise it when the same bytes give another result. Results of two versions are not compared. */
export const CODE_VERSION = 1

/** A text up to this length is kept, so that a change can be shown; a longer one is a digest. */
const KEPT_CHARS = 240
const MAX_USES = 100

/** The blocks of a module file. Never throws: what cannot be cut into blocks is compared as one text. */
export function readCode(name: string, bytes: Uint8Array): FileCode {
  const text = new TextDecoder().decode(bytes).replaceAll('\r\n', '\n')
  if (bytes.length > MODULE_FILE_MAX_BYTES || bytes.includes(0))
    return { blocks: [wholeText(name, text)], uses: [] }
  const uses = usedPaths(text)
  if (moduleFlavour(name) === 'json') {
    const module = readJsonModule(text)
    return { blocks: module.kind === 'refused' ? [wholeText(name, text)] : codeOf(name, module.body), uses }
  }
  const file = readHcl(text)
  const isCertain = file.problems.length === 0 && file.doubts.length === 0
  return { blocks: [...codeOf(name, file), ...(isCertain ? [] : [wholeText(name, text)])], uses }
}

/** The code of a file whose content could not be read: compared by its object id. */
export function unreadCode(name: string, oid: string): FileCode {
  return { blocks: [{ address: `file.${name}`, attributes: { text: `${DIGEST_MARK}${oid}` } }], uses: [] }
}

function wholeText(name: string, text: string): CodeBlock {
  return { address: `file.${name}`, attributes: { text: stored(text) } }
}

function codeOf(name: string, body: Body): CodeBlock[] {
  const blocks = body.blocks.flatMap((block) =>
    block.type === 'locals'
      ? localsOf(block)
      : [{ address: addressOf(block), attributes: attributesOf(block.body) }],
  )
  // JSON states `locals` and other rare blocks as members.
  const locals = body.attributes.get('locals')
  const stated = locals?.kind === 'json' && isJsonObject(locals.value) ? Object.entries(locals.value) : []
  blocks.push(
    ...stated.map(([local, value]) => ({
      address: `local.${local}`,
      attributes: { value: stored(JSON.stringify(value)) },
    })),
  )
  const others = new Map(
    [...body.attributes].filter(([member]) => member !== 'locals' || stated.length === 0),
  )
  if (others.size === 0) return blocks
  return [
    ...blocks,
    { address: `file.${name}`, attributes: attributesOf({ attributes: others, blocks: [] }) },
  ]
}

function localsOf({ body }: Block): CodeBlock[] {
  return [...body.attributes].map(([name, attribute]) => ({
    address: `local.${name}`,
    attributes: { value: textOf(attribute) },
  }))
}

const PREFIXES: Readonly<Record<string, string>> = { resource: '', variable: 'var.' }
/** Blocks without a name of their own are addressed by what they are about. */
const SUBJECTS: Readonly<Record<string, string>> = {
  moved: 'from',
  removed: 'from',
  import: 'to',
  provider: 'alias',
}

function addressOf({ type, labels, body }: Block): string {
  const subject = body.attributes.get(SUBJECTS[type] ?? '')
  const parts = subject === undefined ? labels : [...labels, canonicalText(statedSource(subject))]
  return parts.length === 0 ? type : `${PREFIXES[type] ?? `${type}.`}${parts.join('.')}`
}

/** By way of a Map: `__proto__` is an ordinary name. */
function attributesOf(body: Body): CodeBlock['attributes'] {
  const found = new Map<string, string>()
  collect(body, '', found)
  return Object.fromEntries(found)
}

function collect(body: Body, prefix: string, into: Map<string, string>): void {
  for (const [name, attribute] of body.attributes) into.set(`${prefix}${name}`, textOf(attribute))
  const seen = new Map<string, number>()
  for (const block of body.blocks) {
    const name = [block.type, ...block.labels].join('.')
    const count = seen.get(name) ?? 0
    seen.set(name, count + 1)
    const path = `${prefix}${name}${count === 0 ? '' : `[${count}]`}`
    if (block.body.attributes.size === 0 && block.body.blocks.length === 0) into.set(path, '{}')
    collect(block.body, `${path}.`, into)
  }
}

function textOf(attribute: Attribute): string {
  return stored(attribute.kind === 'source' ? canonicalText(attribute.text) : JSON.stringify(attribute.value))
}

function stored(text: string): string {
  if (text.length <= KEPT_CHARS && !text.startsWith(DIGEST_MARK)) return text
  return `${DIGEST_MARK}${createHash('sha256').update(text).digest('base64url').slice(0, 20)}`
}

const USED = /\$\{path\.module\}\/([\w./-]+)|"(\.{1,2}\/[\w./-]*)"/g

/** Files and directories that are named as text; a path with a template in it counts up to the template. */
function usedPaths(text: string): string[] {
  const found = [...text.matchAll(USED)].map(([, inModule, relative]) => inModule ?? relative ?? '')
  return [...new Set(found)].sort().slice(0, MAX_USES)
}
