/** The `module` blocks of files that may be changed. */
import { posix } from 'node:path'
import { inTurns } from '../../../server/plugin.ts'
import type { GivenBlock } from '../domain/check.ts'
import { isOverrideFile } from '../domain/module-files.ts'
import { readingModuleBlocks, readJsonModuleBlocks } from '../hcl/module-blocks.ts'
import { type CallFile, isJsonFile } from './call-file.ts'

/** A block, and those of override files that state more of it. */
export interface WrittenCall {
  readonly file: string
  readonly block: GivenBlock
  readonly overrides: readonly GivenBlock[]
}

/** The calls of the files of a directory, or those of one name. An override file without the block it overrides counts as any other. */
export async function writtenCalls({
  files,
  call,
  signal,
}: {
  readonly files: readonly CallFile[]
  readonly call?: string | undefined
  readonly signal: AbortSignal
}): Promise<readonly WrittenCall[]> {
  const found: WrittenCall[] = []
  for (const file of files) {
    const { blocks } = isJsonFile(file)
      ? readJsonModuleBlocks(file.text)
      : await inTurns(readingModuleBlocks(file.text), signal)
    const wanted = blocks.filter(({ name }) => call === undefined || name === call)
    found.push(...wanted.map((block) => ({ file: file.name, block, overrides: [] })))
  }
  const isOverride = ({ file }: WrittenCall) => isOverrideFile(posix.basename(file))
  const base = found.filter((one) => !isOverride(one))
  const names = new Set(base.map(({ block }) => block.name))
  const over = found.filter((one) => isOverride(one) && names.has(one.block.name))
  const overriding = over.map(({ file, block }) => ({ ...block, file }))
  return found
    .filter((one) => !over.includes(one))
    .map((one) => ({ ...one, overrides: overriding.filter(({ name }) => name === one.block.name) }))
}
